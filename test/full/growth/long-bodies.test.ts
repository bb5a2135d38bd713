import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../src/index.ts';
import { toSessionName } from '../../doors/session.ts';
import { createHeldReply, modelBySession, registerScript } from '../../fixtures/scripts.ts';
import { createTestApp } from '../../gate/workerd/http/app.ts';
import { createSessionPath, getSessionId, post, readJson } from '../../gate/workerd/http/client.ts';

const MIB = 1024 * 1024;
/** Five million characters of one to four bytes, so that a chunk ends inside a character. */
const LONG = 'aé€😀'.repeat(1_000_000);

const tools = [
  defineTool({ name: 'text', description: 'Writes.', effect: 'read', run: () => LONG }),
  defineTool({ name: 'artifact', description: 'Makes.', effect: 'read', run: () => ({ value: LONG }) }),
];
const writer = defineAgent({
  name: 'writer',
  description: 'Writes.',
  instructions: '',
  tools,
  model: modelBySession,
});
const via = createTestApp({
  agents: [writer],
  auth: () => ({ id: 'owner' }),
  http: { bodyContext: ['payload'], maxBodyBytes: 32 * MIB },
});

/** Returns the longest value of every table in a session's object, in bytes. */
function measureLongest(path: string): Promise<Record<string, number>> {
  const session = getSessionId(path);
  const stub = env.SESSIONS.getByName(toSessionName({ owner: { id: 'owner' }, agent: 'writer', session }));
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'`,
    );
    const longest = tables.toArray().map(({ name }): [string, number] => {
      const columns = sql.exec(`SELECT * FROM ${name} LIMIT 0`).columnNames;
      const lengths = columns.map(
        (column) =>
          sql
            .exec<{ n: number | null }>(`SELECT max(length(CAST(${column} AS BLOB))) AS n FROM ${name}`)
            .one().n ?? 0,
      );
      return [name, Math.max(...lengths)];
    });
    return Object.fromEntries(longest);
  });
}

/** Reads a whole journal, page by page. */
async function readEvents(session: string): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  let path: unknown = `${session}/events`;
  while (typeof path === 'string') {
    const page = await readJson(await via(path));
    events.push(...(page.events as Record<string, unknown>[]));
    path = page.next;
  }
  return events;
}

describe('bodies of five million characters', () => {
  it('are unchanged in a message, its context, a result, an artifact and an answer', async () => {
    const session = createSessionPath('writer');
    const { message } = registerScript(
      { calls: [{ name: 'text' }] },
      { calls: [{ name: 'artifact' }] },
      { text: LONG, pieces: [] },
    );
    const said = message(LONG);
    const answered = await readJson(
      await post(session, { message: said, context: { payload: LONG } }, { via }),
    );
    expect(answered.outcome).toBe('completed');
    expect(answered.text === LONG).toBe(true);
    expect(JSON.stringify(answered.artifacts).includes(LONG)).toBe(true);
    const events = await readEvents(session);
    const started = events.find(({ type }) => type === 'turn-started');
    expect(started?.message === said).toBe(true);
    expect(Object(started?.context).payload === LONG).toBe(true);
    const results = events.flatMap(({ type, result }) =>
      type === 'tool-call-ended' ? [Object(result)] : [],
    );
    expect(results[0].content === LONG).toBe(true);
    expect(results[1].value.value === LONG).toBe(true);
    const state = await readJson(await via(session));
    expect(JSON.stringify(state.messages).split(LONG)).toHaveLength(5);
    const longest = await measureLongest(session);
    expect(Object.keys(longest).sort()).toEqual(
      ['agenda', 'blobs', 'chunks', 'events', 'inbox', 'lease', 'requests', 'schema'].sort(),
    );
    expect(Math.max(...Object.values(longest))).toBeLessThanOrEqual(MIB);
    expect(longest.events).toBeLessThanOrEqual(64 * 1024);
    // The next turn folds the whole journal.
    expect((await readJson(await post(session, { message: 'More?' }, { via }))).outcome).toBe('failed');
  }, 180_000);

  it('are stored in parts in the inbox, and are unchanged when they are read', async () => {
    const session = createSessionPath('writer');
    // The maximum size of the messages that can wait in a session.
    const long = LONG.slice(0, 4_900_000);
    const first = createHeldReply('First.');
    const { message } = registerScript(first.reply, 'Second.');
    const answering = post(session, { message: message() }, { via });
    await first.asked();
    const queued = await via(`${session}/messages?whenBusy=queue`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ message: long }),
    });
    expect(queued.status).toBe(202);
    const longest = await measureLongest(session);
    expect(longest.inbox).toBeLessThanOrEqual(64 * 1024);
    expect(longest.chunks).toBe(MIB);
    first.release();
    await answering;
    const turns = (await readEvents(session)).filter(({ type }) => type === 'turn-started');
    expect(turns[1]?.message === long).toBe(true);
    expect((await measureLongest(session)).inbox).toBe(0);
  }, 180_000);
});
