/** A D1 database follows an index: promptly, in order, and without the data of erased sessions. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { d1Reports } from '../../../../../src/modules/index/d1/entry.ts';
import { indexOf, sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { indexed } from '../../../../fixtures/clerk-agent.ts';
import { indexDb, migrate, takeAway } from '../../../../fixtures/index-db.ts';
import { readJson } from '../../http/client.ts';
import { createProblem } from '../../http/waiting.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

declare global {
  namespace Cloudflare {
    interface Env {
      readonly INDEX_DB: D1Database;
    }
  }
}

beforeEach(() => migrate(env.INDEX_DB));

type Row = Record<string, unknown>;

/** A tenant, and its rows in the database. */
function createShop() {
  const shop = createTenant();
  const readRows = async (table: string, columns = '*'): Promise<Row[]> => {
    const query = `SELECT ${columns} FROM ${table} WHERE owner = ? ORDER BY 1`;
    return (await env.INDEX_DB.prepare(query).bind(shop.key).all<Row>()).results;
  };
  const has = (wanted: unknown, table = 'holdfast_sessions', columns = 'session, turns') =>
    expect.poll(async () => readRows(table, columns), { timeout: 20_000 }).toEqual(wanted);
  const owner = { tenant: shop.name };
  const code = indexOf(createHoldfast({ agents: [indexed], use: [sessionIndex({ also: indexDb })] }), env);
  return { ...shop, owner, code, rows: readRows, has };
}

const silenceErrors = () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  onTestFinished(() => log.mockRestore());
  return log;
};

describe('d1Reports', { timeout: 120_000 }, () => {
  it('writes the list entry of a session and its usage to the database', async () => {
    const shop = createShop();
    await shop.say('s1', 'One.', 'Two.');
    await shop.say('s1', 'Two.');
    await shop.lists([listEntry('s1', 'idle', { turns: 2 })]);
    await shop.has([{ session: 's1', turns: 2 }]);
    const [entry] = await shop.list();
    const { inputTokens, outputTokens } = Object(entry?.usage);
    const tokens = { input_tokens: inputTokens, output_tokens: outputTokens };
    const unknown = { cached_input_tokens: null, cache_write_tokens: null, reasoning_tokens: null };
    const used = Object((await shop.get('/usage')).usage)[0];
    const cost = used.usage.cost ?? null;
    const more = { owner: shop.key, agent: 'indexed', turns: 2, ...tokens, ...unknown, cost };
    const revision = expect.any(Number);
    expect(await shop.rows('holdfast_sessions')).toEqual([
      {
        ...{ session: 's1', title: entry?.title, status: 'idle', outcome: 'completed', ...more, revision },
        ...{ opened_at: entry?.openedAt, last_activity: entry?.lastActivity },
      },
    ]);
    const { results } = await env.INDEX_DB.prepare('SELECT * FROM holdfast_usage WHERE owner = ?')
      .bind(shop.key)
      .all();
    expect(results).toEqual([{ ...more, day: used.of, model: expect.stringMatching(/./), revision }]);
  });

  it('loses no reports and delays no turn while the database is unavailable', async () => {
    const log = silenceErrors();
    const shop = createShop();
    const back = takeAway(shop.key);
    await shop.say('s1', 'One.', 'Two.');
    await shop.lists([listEntry('s1', 'idle', { turns: 1 })]);
    await expect.poll(() => log.mock.calls.flat().join()).toContain('D1_ERROR: The database is unavailable.');
    await shop.say('s1', 'Two.');
    await shop.lists([listEntry('s1', 'idle', { turns: 2 })]);
    expect(await shop.rows('holdfast_sessions')).toEqual([]);
    back();
    await abortAllDurableObjects(); // a restarted object retries at once
    await runDurableObjectAlarm(shop.index());
    await shop.has([{ session: 's1', turns: 2 }]);
    await shop.has([{ turns: 2 }], 'holdfast_usage', 'turns');
  });

  it('removes an erased session, and keeps its usage', async () => {
    const shop = createShop();
    await shop.say('s1', 'Done.');
    await shop.say('s2', 'Done.');
    await shop.has([
      { session: 's1', turns: 1 },
      { session: 's2', turns: 1 },
    ]);
    await (await shop.via(`${SESSIONS_PATH}/s1`, { method: 'DELETE' })).text();
    await shop.has([{ session: 's2', turns: 1 }]);
    expect(await shop.rows('holdfast_usage', 'turns')).toEqual([{ turns: 2 }]);
  });

  it('removes all data of an erased owner before it reports the erasure', async () => {
    silenceErrors();
    const shop = createShop();
    const other = createShop();
    await other.say('s1', 'Done.');
    await shop.say('s1', 'Done.');
    await shop.has([{ session: 's1', turns: 1 }]);
    await other.has([{ session: 's1', turns: 1 }]);
    const back = takeAway(shop.key);
    await shop.code.eraseOwner(shop.owner);
    await expect.poll(async () => (await shop.code.owner(shop.owner)).sessions).toBe(0);
    // Pretends that the minimum duration of an erasure has passed.
    const object = env.INDEX.getByName(shop.key);
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      sql.exec('UPDATE about SET erasing = erasing - 600000');
    });
    await runDurableObjectAlarm(object);
    expect(await shop.code.owner(shop.owner)).toMatchObject({ erasure: { status: 'erasing' } });
    expect(await shop.rows('holdfast_sessions', 'session')).toEqual([{ session: 's1' }]);
    back();
    await runDurableObjectAlarm(object);
    expect(await shop.code.owner(shop.owner)).toMatchObject({ sessions: 0, erasure: { status: 'erased' } });
    expect([...(await shop.rows('holdfast_sessions')), ...(await shop.rows('holdfast_usage'))]).toEqual([]);
    expect(await shop.rows('holdfast_owners')).toEqual([
      { owner: shop.key, revision: expect.any(Number), erased_at: expect.any(Number) },
    ]);
    expect(await other.rows('holdfast_sessions', 'session')).toEqual([{ session: 's1' }]);
    // A week later the owner's name is deleted too.
    await runInDurableObject(object, (_, { storage: { sql } }) => {
      sql.exec('UPDATE about SET erased = erased - ?', 8 * 24 * 60 * 60_000);
    });
    await runDurableObjectAlarm(object);
    expect(await shop.rows('holdfast_owners')).toEqual([]);
  });

  it('ignores a batch that arrives after a newer one', async () => {
    const shop = createShop();
    await shop.say('s1', 'Done.');
    await shop.has([{ session: 's1', turns: 1 }]);
    // A delayed batch, whose object was killed after sending it. It arrives once the owner is erased.
    const held: (() => Promise<unknown>)[] = [];
    const slow = {
      prepare: (sql: string) => env.INDEX_DB.prepare(sql),
      async batch(statements: D1PreparedStatement[]) {
        held.push(() => env.INDEX_DB.batch(statements));
        throw new Error('The connection broke.');
      },
    };
    const copy = d1Reports();
    await runInDurableObject(env.INDEX.getByName(shop.key), async (_, { storage }) => {
      const at = { owner: shop.key, storage };
      copy.noteAll(storage);
      await expect(copy.send({ ...at, env: { INDEX_DB: slow } })).rejects.toThrow('The connection broke.');
      await copy.erase({ ...at, env });
    });
    expect(await shop.rows('holdfast_sessions')).toEqual([]);
    for (const late of held) await late();
    expect(await shop.rows('holdfast_sessions')).toEqual([]);
    expect(await shop.rows('holdfast_usage')).toEqual([]);
  });

  it('repairs missing, wrong and extra rows when the database is reindexed', async () => {
    const shop = createShop();
    for (const session of ['s1', 's2']) await shop.say(session, 'Done.');
    await shop.has([
      { session: 's1', turns: 1 },
      { session: 's2', turns: 1 },
    ]);
    await env.INDEX_DB.batch(
      [
        "DELETE FROM holdfast_sessions WHERE session = 's1' AND owner = ?",
        "UPDATE holdfast_sessions SET session = 'gone' WHERE owner = ?",
        'UPDATE holdfast_usage SET turns = 70 WHERE owner = ?',
      ].map((sql) => env.INDEX_DB.prepare(sql).bind(shop.key)),
    );
    await shop.code.reindex({ owner: shop.owner });
    await shop.has([
      { session: 's1', turns: 1 },
      { session: 's2', turns: 1 },
    ]);
    await shop.has([{ turns: 2 }], 'holdfast_usage', 'turns');
  });

  it('refuses every request for a session, and reports what to add, if there is no INDEX_DB', async () => {
    const via = createTenant().as({ id: 'ann' }, { INDEX_DB: undefined });
    const detail =
      'This Worker has no D1 database bound as INDEX_DB, which d1Reports() needs. In wrangler.toml: [[d1_databases]] with ' +
      'binding = "INDEX_DB", a database_name, a database_id, and migrations_dir = "node_modules/holdfast/migrations". Then run ' +
      '`npx wrangler d1 migrations apply INDEX_DB --remote`.';
    expect(await readJson(await via('/health'))).toEqual(createProblem('misconfigured', 500, detail));
  });
});
