/** All sessions of an owner are erased in the background, despite crashes. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ToolCallContext } from '../../../../../src/index.ts';
import { toTurnStart } from '../../../../doors/session.ts';
import { registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import { createProblem } from '../../http/waiting.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

/** A tenant with sessions of these names, and an operator who can erase them. */
async function createShopWith(...names: readonly string[]) {
  const shop = createTenant();
  await Promise.all(names.map((session) => shop.say(session, 'Done.')));
  await expect
    .poll(async () => (await shop.list('?limit=100')).length, { timeout: 60_000 })
    .toBe(names.length);
  const operator = createTenant().as({ id: 'olga', operator: true });
  const path = `/owners/${encodeURIComponent(shop.key)}`;
  const readStanding = async () => readJson(await operator(path));
  const isErased = () =>
    expect
      .poll(readStanding, { timeout: 60_000 })
      .toMatchObject({ sessions: 0, erasure: { status: 'erased' } });
  return {
    ...shop,
    operator,
    standing: readStanding,
    isErased,
    erase: async () => operator(path, { method: 'DELETE' }),
  };
}

const ERASING_PROBLEM = createProblem(
  'erasing',
  409,
  'All sessions of this owner are being erased. Try again later.',
);

// An erasure takes at least five seconds, and more on a busy machine.
describe('DELETE /owners/{owner}', { timeout: 120_000 }, () => {
  it('erases all sessions despite crashes, and refuses new sessions until it has finished', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `s${at}`);
    const shop = await createShopWith(...names);
    const response = await shop.erase();
    expect(response.status).toBe(202);
    expect(await readJson(response)).toEqual({
      owner: shop.key,
      sessions: 60,
      erasure: { status: 'erasing', since: expect.any(Number), removed: 0 },
    });
    // Even on a busy machine, the erasure does not end before the test has checked it.
    const advanceErasure = (ms: number) =>
      runInDurableObject(shop.index(), (_, { storage: { sql } }) => {
        sql.exec('UPDATE about SET erasing = erasing + ?', ms);
      });
    await advanceErasure(600_000);
    expect(await shop.list()).toEqual([]);
    for (let kill = 0; kill < 6; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, 15));
      await abortAllDurableObjects();
    }
    const message = registerScript('New.').message();
    for (const headers of [{}, { prefer: 'respond-async' }] as const) {
      const refused = await post(`${SESSIONS_PATH}/new`, { message }, { via: shop.via, headers });
      expect([refused.headers.get('retry-after'), await readJson(refused)]).toEqual(['5', ERASING_PROBLEM]);
    }
    await advanceErasure(-600_000);
    await runDurableObjectAlarm(shop.index());
    await shop.isErased();
    for (const session of [...names, 'new'])
      expect((await shop.via(`${SESSIONS_PATH}/${session}`)).status).toBe(404);
    const rows = await runInDurableObject(shop.index(), (_, { storage: { sql } }) =>
      ['sessions', 'used', 'gone'].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
    expect(rows).toEqual([[], [], []]);
    expect((await shop.get('/usage')).usage).toEqual([]);
    const { owners } = await readJson(await shop.operator('/owners?limit=100'));
    expect(owners).not.toContain(shop.key);
    await shop.say('new', 'New.');
    await shop.lists([listEntry('new', 'idle')]);
    expect(await shop.standing()).toMatchObject({ sessions: 1, erasure: { status: 'erased' } });
  });

  it('erases an older session that is reported after the erasure', async () => {
    const shop = await createShopWith('s1');
    // The session's app had no index then, so the index has no entry for it.
    const said = { agent: 'indexed', message: 'Late', context: ToolCallContext.of({}), from: { id: 'ann' } };
    await shop.stub('late').accept({ ...toTurnStart(said, () => crypto.randomUUID()), delayMs: 3_600_000 });
    await shop.erase();
    await shop.isErased();
    expect((await shop.via(`${SESSIONS_PATH}/late`)).status).toBe(200);
    const init = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"Late"}',
    };
    await (await shop.via(`${SESSIONS_PATH}/late`, init)).text();
    await (await shop.via(`${SESSIONS_PATH}/late/cancel`, { method: 'POST' })).text();
    await shop.say('late', 'x');
    await expect
      .poll(async () => (await shop.via(`${SESSIONS_PATH}/late`)).status, { timeout: 60_000 })
      .toBe(404);
    expect(await shop.list()).toEqual([]);
  });

  it('keeps the sessions of all other owners', async () => {
    const [shop, other] = [await createShopWith('same'), await createShopWith('same')];
    await shop.erase();
    await shop.isErased();
    expect(await other.list()).toEqual([listEntry('same', 'idle')]);
    expect((await other.via(`${SESSIONS_PATH}/same`)).status).toBe(200);
    expect(env.INDEX.getByName(shop.key)).toBeDefined();
  });

  it('deletes the owner’s name after a week, but not later usage', async () => {
    const shop = await createShopWith('s1');
    await shop.erase();
    await shop.isErased();
    await shop.say('s2', 'Done.');
    await shop.lists([listEntry('s2', 'idle')]);
    await shop.via(`${SESSIONS_PATH}/s2`, { method: 'DELETE' });
    const { total } = await shop.get('/usage');
    expect(total).toMatchObject({ turns: 1 });
    await runInDurableObject(shop.index(), (_, { storage: { sql } }) => {
      sql.exec('UPDATE about SET erased = erased - ?', 8 * 24 * 60 * 60_000);
    });
    await runDurableObjectAlarm(shop.index());
    expect(await shop.standing()).toEqual({ owner: shop.key, sessions: 0 });
    expect((await shop.get('/usage')).total).toEqual(total);
  });

  it('succeeds for an unknown owner', async () => {
    const shop = await createShopWith();
    expect(await shop.standing()).toEqual({ owner: shop.key, sessions: 0 });
    await shop.erase();
    await shop.isErased();
  });
});
