import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  getSessionId,
  getSessionName,
  post,
  readAllEvents,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
} from './client.ts';

const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));

const listTables = (session: string): Promise<unknown[]> =>
  runInDurableObject(getStub(session), (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
  );

describe('the state of a session', () => {
  it('shows the conversation, the tools’ artifacts, and the ended turn', async () => {
    const session = createSessionPath();
    const { message } = registerScript({ calls: [{ name: 'record', input: { note: 'milk' } }] }, 'Noted.');
    const text = message();
    const answer = await readJson(await post(session, { message: text }));
    const call = { id: `${answer.turn}.3.0`, name: 'record', input: '{"note":"milk"}', status: 'ended' };
    expect(await readJson(await send(session))).toEqual({
      session: getSessionId(session),
      agent: 'scripted',
      seq: 7,
      turn: answer,
      openTurn: null,
      waiting: [],
      messages: [
        { role: 'user', text },
        { role: 'assistant', text: '', toolCalls: [{ ...call, result: 'Recorded.' }] },
        { role: 'assistant', text: 'Noted.' },
      ],
      blackboard: [{ name: 'note', value: 'milk' }],
      state: { scripted: { last: 'milk' } },
      memory: {},
      pending: [],
      usage: { inputTokens: 20, outputTokens: 10 },
    });
  });

  it('shows the running turn', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const answering = post(session, { message: message() });
    await answer.asked();
    const state = await readJson(await send(session));
    const { turn } = state.turn as { turn: string };
    const usage = { inputTokens: 0, outputTokens: 0 };
    expect(state).toMatchObject({
      openTurn: turn,
      turn: { turn, loopId: turn, outcome: null, iterations: 0, toolCalls: 0, usage },
    });
    answer.release();
    expect(await readJson(await answering)).toMatchObject({ turn, outcome: 'completed' });
  });

  it.each([
    ['GET', '', {}],
    ['GET', '/events', {}],
    ['GET', '/events', SSE_HEADERS],
    ['POST', '/cancel', {}],
  ] as const)('returns 404 for an unknown session, without a write: %s %s', async (method, rest, headers) => {
    const session = createSessionPath();
    const response = await send(`${session}${rest}`, { method, headers });
    expect(response.status).toBe(404);
    expect(await readJson(response)).toEqual({
      type: 'urn:holdfast:problem:unknown-session',
      title: 'unknown session',
      status: 404,
      detail: `There is no session '${getSessionId(session)}'. POST ${session}/messages starts it.`,
    });
    expect(await listTables(session)).toEqual([]);
  });
});

describe('the journal as JSON', () => {
  it('is returned in pages, each with a link to the next one', async () => {
    const session = createSessionPath();
    const { message } = registerScript('Done.');
    await post(session, { message: message() });
    const all = (await readJson(await send(`${session}/events`))) as { events: unknown[] };
    expect(all).toMatchObject({
      head: 4,
      next: null,
      events: [{ seq: 1 }, { seq: 2 }, { seq: 3 }, { seq: 4 }],
    });
    const read: unknown[] = [];
    let next: unknown = `${session}/events?limit=3`;
    const paths: unknown[] = [];
    while (typeof next === 'string') {
      const page = await readJson(await send(next));
      paths.push(next);
      read.push(...(page.events as unknown[]));
      next = page.next;
    }
    expect(paths).toEqual([`${session}/events?limit=3`, `${session}/events?after=3&limit=3`]);
    expect(read).toEqual(all.events);
  });

  it('is empty after the last event', async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    expect(await readJson(await send(`${session}/events?after=99`))).toEqual({
      events: [],
      head: 4,
      next: null,
    });
  });

  it('responds to HEAD without a body, even if a stream is requested', async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    const response = await send(`${session}/events`, { method: 'HEAD', headers: SSE_HEADERS });
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
  });
});

describe('the journal as a stream', () => {
  it('follows a turn while it runs, and then the next turn', async () => {
    const session = createSessionPath();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply, 'Again.');
    const answering = post(session, { message: message() });
    await answer.asked();
    const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    expect((await readUntil(events, 'turn-started')).map(({ id }) => id)).toEqual([1, 2]);
    answer.release();
    expect((await readUntil(events, 'turn-ended')).map(({ id }) => id)).toEqual([3, 4]);
    await (await answering).text();
    const second = post(session, { message: 'More' });
    expect((await readUntil(events, 'turn-ended')).map(({ id }) => id)).toEqual([5, 6, 7]);
    await (await second).text();
    await events.return(undefined);
  });

  it.each([
    [{ 'last-event-id': '2' }, '', [3, 4]],
    [{}, '?after=3', [4]],
    [{ 'last-event-id': '3' }, '?after=1', [4]],
    [{ 'last-event-id': '' }, '', [1, 2, 3, 4]],
  ])('resumes after the last event that was received: %j %s', async (headers, query, ids) => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    const events = readSentEvents(
      await send(`${session}/events${query}`, { headers: { ...SSE_HEADERS, ...headers } }),
    );
    expect((await readUntil(events, 'turn-ended')).map(({ id }) => id)).toEqual(ids);
    await events.return(undefined);
  });

  it('leaves no watcher behind if its reader disconnects', async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() });
    const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    await readUntil(events, 'turn-ended');
    const countWatchers = () =>
      runInDurableObject(getStub(session), (_, state) => state.getWebSockets().length);
    await expect.poll(countWatchers).toBe(1);
    await events.return(undefined);
    await expect.poll(countWatchers).toBe(0);
  });

  it('sends every event to a client that reads slowly', async () => {
    const session = createSessionPath();
    const { message } = registerScript(...Array.from({ length: 30 }, (_, i) => `Answer ${i}`));
    for (let i = 0; i < 30; i += 1) await post(session, { message: i === 0 ? message() : 'x'.repeat(9_000) });
    const ids: unknown[] = [];
    for await (const { id } of readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }))) {
      ids.push(id);
      if (ids.length === 91) break;
      // Another request is served between these reads.
      if (ids.length % 5 === 0) await (await send(`${session}/events?after=90`)).text();
    }
    expect(ids).toEqual(Array.from({ length: 91 }, (_, i) => i + 1));
  });

  it('is read only as far as its client reads', async () => {
    const session = createSessionPath();
    const { message } = registerScript('1', '2', '3', '4', '5', '6', '7', '8');
    for (let i = 0; i < 8; i += 1) await post(session, { message: i === 0 ? message() : 'x'.repeat(50_000) });
    /** Follows the session with one event per page. */
    async function follow() {
      const count = { pages: 0 };
      const onePerPage = wrapObjects((stub) => ({
        read: (query: Parameters<typeof stub.read>[0]) => {
          count.pages += 1;
          return stub.read({ ...query, limit: 1 });
        },
      }));
      const via = createTestApp({}, { SESSIONS: onePerPage });
      return { count, response: await via(`${session}/events`, { headers: SSE_HEADERS }) };
    }
    async function readAll({ response }: Awaited<ReturnType<typeof follow>>): Promise<void> {
      const events = readSentEvents(response);
      for (let i = 0; i < 8; i += 1) await readUntil(events, 'turn-ended');
      await events.return(undefined);
    }
    const waiting = await follow();
    await expect.poll(() => waiting.count.pages).toBeGreaterThanOrEqual(8);
    const other = await follow();
    await readAll(other); // long enough for the first follower to read as much
    expect([waiting.count.pages < 15, other.count.pages > 24]).toEqual([true, true]);
    await readAll(waiting);
    expect(waiting.count.pages).toBeGreaterThan(24);
  });

  it('replays the same events for an earlier turn', async () => {
    const session = createSessionPath();
    const streamed = await readAllEvents(
      await post(session, { message: registerScript('A').message() }, { headers: SSE_HEADERS }),
    );
    const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    const followed = await readUntil(events, 'turn-ended');
    await events.return(undefined);
    expect(followed.slice(1)).toEqual(streamed.filter(({ id }) => id !== undefined));
  });
});
