/** The index matches the journals of all sessions, despite crashes. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { indexOf, sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { indexed } from '../../../../fixtures/clerk-agent.ts';
import { indexDb } from '../../../../fixtures/index-db.ts';
import { createTenant, SESSIONS_PATH } from './indexed.ts';

/** A random number generator that is the same in every run. */
function createDice(seed: number) {
  let state = seed;
  return (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % most;
  };
}

const MINUTE = 60_000;

type ListedSession = Record<string, unknown> & { readonly session: string };

describe('an index after crashes of sessions, objects and sweeps', { timeout: 120_000 }, () => {
  it('matches the journals of all sessions', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const shop = createTenant();
    const roll = createDice(7);
    const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const replies = Array.from({ length: 8 }, (_, at) =>
      at % 3 === 1 ? { calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] } : 'Done.',
    );
    let kills = 0;
    for (let round = 0; round < 5; round += 1) {
      const running = names.map(async (session) => {
        const what = roll(10);
        if (what === 0) await shop.via(`${SESSIONS_PATH}/${session}`, { method: 'DELETE' });
        else await shop.say(session, ...replies);
      });
      for (let kill = 0; kill < 4; kill += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10 + roll(200)));
        await abortAllDurableObjects();
        kills += 1;
      }
      // A request can fail if its object was killed. Only the stored result counts.
      await Promise.allSettled(running);
    }
    expect(kills).toBe(20);
    const findHoldProblems = async (): Promise<unknown[]> => {
      const found = (await shop.list()) as ListedSession[];
      const problems: unknown[] = [];
      for (const session of names) {
        const page = await shop.stub(session).read({ from: 1 });
        const entry = found.find((one) => one.session === session);
        if (!page) {
          if (entry) problems.push([session, 'is erased, and listed', entry]);
          continue;
        }
        const ended = page.rows.filter(({ type }) => type === 'turn-ended');
        const { outcome } = Object(JSON.parse(ended.at(-1)?.body ?? '{}'));
        const journal = {
          status: page.openTurn?.state ?? (outcome === 'failed' ? 'failed' : 'idle'),
          outcome,
          turns: ended.length,
          usage: (await shop.get(`${SESSIONS_PATH}/${session}`)).usage,
        };
        const index = {
          status: entry?.status,
          outcome: entry?.outcome,
          turns: entry?.turns,
          usage: entry?.usage,
        };
        if (JSON.stringify(index) !== JSON.stringify(journal)) problems.push([session, index, journal]);
      }
      return problems;
    };
    // An unconfirmed report is due again after a minute at first, and a running turn is taken over.
    for (
      let tries = 0, after = MINUTE;
      tries < 8 && (await findHoldProblems()).length > 0;
      tries += 1, after *= 2
    ) {
      for (const session of names) await shop.wait(session, after);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(await findHoldProblems()).toEqual([]);
  });

  it('is repaired by a sweep over all known sessions', async () => {
    const shop = createTenant();
    for (const session of ['a', 'b', 'c']) await shop.say(session, 'Done.');
    await expect.poll(async () => (await shop.list()).length).toBe(3);
    const holdfast = createHoldfast({ agents: [indexed], use: [sessionIndex({ also: indexDb })] });
    // Pretends that the row was lost.
    await env.SESSIONS.getByName(JSON.stringify([{ tenant: shop.name }, 'indexed', 'b'])).erase();
    const index = indexOf(holdfast, env);
    const owner = { tenant: shop.name };
    const first = await index.reindex({ owner, limit: 2 });
    expect(first).toEqual({ looked: 2, next: expect.any(String) });
    expect(await index.reindex({ owner, cursor: first.next ?? '' })).toEqual({ looked: 1, next: null });
    expect((await index.sessions({ owner })).sessions.map(({ session }) => session)).toEqual(['c', 'a']);
  });
});
