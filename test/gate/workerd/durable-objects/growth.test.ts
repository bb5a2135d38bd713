import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../../../src/index.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { createObjectSession } from '../../../doors/durable-objects.ts';
import { fillSession, fillWith } from '../../../full/growth/fill-session.ts';
import { createTestApp } from '../http/app.ts';
import { createSessionPath, getSessionName, post, readJson } from '../http/client.ts';
import { countRows, type RowCounts } from './rows.ts';

const model = {
  name: 'quick',
  ask: async () => ({ text: 'Done.', toolCalls: [], finish: 'stop' as const }),
};
const base = { description: 'Answers.', instructions: '', model };
const plain = defineAgent({ ...base, name: 'plain' });
const compacting = defineAgent({
  ...base,
  name: 'compacting',
  use: [summarize({ overTokens: 1_000, summarize: () => 'They talked.' })],
});
const via = createTestApp({ agents: [plain, compacting] });

/** A session with this many turns, and two more: the first stores a snapshot, and the second reads it. */
async function growSession(agent: string, turns: number) {
  const session = createSessionPath(agent);
  const name = getSessionName(session);
  await fillSession(createObjectSession(env.SESSIONS, name), agent, turns * 2);
  const stub = env.SESSIONS.getByName(name);
  for (const message of ['one', 'two']) expect((await post(session, { message }, { via })).status).toBe(200);
  const runOneMore = (): Promise<RowCounts> =>
    countRows(stub, async () => expect((await post(session, { message: 'And?' }, { via })).status).toBe(200));
  const get = (path: string): Promise<RowCounts> =>
    countRows(stub, async () => (await via(`${session}${path}`)).text());
  return { session, stub, oneMore: runOneMore, get };
}

const SIZES = [10, 300, 1_500];

describe('a session with many turns', () => {
  it('accepts another turn with as few row reads as a short session', async () => {
    for (const agent of ['plain', 'compacting']) {
      const rows: RowCounts[] = [];
      for (const turns of SIZES) rows.push(await (await growSession(agent, turns)).oneMore());
      expect(Math.max(...rows.map(({ read }) => read))).toBeLessThan(120);
      expect(new Set(rows.map(({ written }) => written)).size).toBe(1);
    }
  });

  it('reads one more row for each MiB if its messages exceed one response', async () => {
    const session = createSessionPath('plain');
    const name = getSessionName(session);
    const port = createObjectSession(env.SESSIONS, name);
    await fillWith(port, 'plain', { messages: 3_000, answer: 'é'.repeat(2_000) });
    for (const message of ['one', 'two'])
      expect((await post(session, { message }, { via })).status).toBe(200);
    const rows = await countRows(env.SESSIONS.getByName(name), async () =>
      expect((await post(session, { message: 'And?' }, { via })).status).toBe(200),
    );
    expect(rows.read).toBeLessThan(120);
    const { messages } = await readJson(await via(session));
    expect(messages).toHaveLength(3_000 + 2 * 3);
  });

  it('accepts a message with an idempotency key without reading earlier keys', async () => {
    const { session, stub } = await growSession('plain', 10);
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      for (let i = 0; i < 500; i += 1)
        sql.exec('INSERT INTO requests VALUES (?, ?, ?, 0, ?)', `key ${i}`, 'hash', 't1', Date.now() * 2);
    });
    const headers = { 'idempotency-key': 'mine' };
    const rows = await countRows(stub, () => post(session, { message: 'And?' }, { via, headers }));
    expect(rows.read).toBeLessThan(120);
  });

  it('shows its state, a turn and an unknown turn with few row reads', async () => {
    const { session, get } = await growSession('plain', 1_500);
    expect((await get('')).read).toBeLessThan(120);
    expect((await get('/turns/t700')).read).toBeLessThan(12);
    expect((await get('/turns/nobody')).read).toBeLessThan(12);
    const shown = await readJson(await via(session));
    expect(shown.messages).toHaveLength(2 * 1_502);
    expect(await readJson(await via(`${session}/turns/t700`))).toMatchObject({
      turn: 't700',
      outcome: 'completed',
    });
    expect((await via(`${session}/turns/nobody`)).status).toBe(404);
  });
});
