/** A client that limits its wait for an answer (`Prefer: wait=10`, RFC 7240). */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { handOvers } from '../../../fixtures/hand-overs.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { createHeldReply, type HeldReply, registerScript } from '../../../fixtures/scripts.ts';
import {
  createSessionPath,
  getSessionName,
  post,
  readAllEvents,
  readJson,
  SSE_HEADERS,
  send,
} from './client.ts';
import { createManualSession } from './time.ts';
import { answer, getOnlyLink, startWaitingTurn } from './waiting.ts';

const createPreferOptions = (prefer: string, more: Record<string, string> = {}) => ({
  headers: { prefer, ...more },
});
const get = (session: string, turn: unknown, prefer: string): Promise<Response> =>
  send(`${session}/turns/${turn}`, createPreferOptions(prefer));
const isInBackground = (session: string): boolean =>
  handOvers.some(({ name }) => name === getSessionName(session));
/** Returns the status and the headers of a response. */
const summarizeResponse = ({ status, headers }: Response): readonly unknown[] => [
  status,
  headers.get('preference-applied'),
];

/**
 * Waits until this many readers watch the session. By then, a request waiting for a turn has started its
 * timer.
 */
const waitUntilWatched = (session: string, readers = 1): Promise<unknown> =>
  expect
    .poll(() =>
      runInDurableObject(
        env.SESSIONS.getByName(getSessionName(session)),
        (_, ctx) =>
          ctx.getWebSockets('reader').filter(({ readyState }) => readyState === WebSocket.OPEN).length,
      ),
    )
    .toBe(readers);

interface RunningTurn {
  readonly session: string;
  readonly turn: string;
  readonly reply: HeldReply;
}

/** A background turn whose model has been called but has not replied. */
async function startRunning(said: ScriptedReply = 'Done.', ...more: ScriptedReply[]): Promise<RunningTurn> {
  const session = createManualSession();
  const reply = createHeldReply(said);
  const message = registerScript(reply.reply, ...more).message();
  const { turn } = await readJson(await post(session, { message }, createPreferOptions('respond-async')));
  await reply.asked();
  return { session, turn: String(turn), reply };
}

describe('a message whose client limits its wait', () => {
  it('runs in the background, and returns the usual response if it ends in time', async () => {
    const session = createManualSession();
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'Three.');
    const response = await post(session, { message: message() }, createPreferOptions('wait=10'));
    const answered = await readJson(response);
    expect([summarizeResponse(response), answered]).toMatchObject([
      [200, 'wait=10'],
      { outcome: 'completed', text: 'Three.' },
    ]);
    expect(response.headers.get('content-location')).toBe(`${session}/turns/${answered.turn}`);
    expect(isInBackground(session)).toBe(true);
    expect(await readJson(await send(`${session}/turns/${answered.turn}`))).toEqual(answered);
  });

  it('returns 202 with the address of the answer if it does not end in time', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Done.');
    const answering = post(
      session,
      { message: registerScript(reply.reply).message() },
      createPreferOptions('wait=10'),
    );
    await reply.asked();
    await waitUntilWatched(session);
    advanceTime(10_000);
    const response = await answering;
    const { turn, status } = await readJson(response);
    expect([summarizeResponse(response), status]).toEqual([[202, 'wait=10'], 'accepted']);
    expect(response.headers.get('location')).toBe(`${session}/turns/${turn}`);
    await waitUntilWatched(session, 0);
    reply.release();
    const later = await get(session, turn, 'wait=60');
    expect([summarizeResponse(later), await readJson(later)]).toMatchObject([
      [200, 'wait=60'],
      { text: 'Done.' },
    ]);
  });

  it('can ask for both a wait and a later answer', async () => {
    const session = createManualSession();
    const reply = createHeldReply('Done.');
    const prefer = 'respond-async, wait=10';
    const answering = post(
      session,
      { message: registerScript(reply.reply, 'Next.').message() },
      createPreferOptions(prefer),
    );
    await reply.asked();
    await waitUntilWatched(session);
    advanceTime(10_000);
    const response = await answering;
    expect(summarizeResponse(response)).toEqual([202, 'respond-async, wait=10']);
    reply.release();
    await get(session, (await readJson(response)).turn, 'wait=60');
    const next = await post(session, { message: 'Next' }, createPreferOptions(prefer));
    expect([summarizeResponse(next), await readJson(next)]).toMatchObject([
      [200, 'wait=10'],
      { text: 'Next.' },
    ]);
  });

  it.each(['wait=0', 'wait="0"', 'WAIT = 0; x=1', 'handling=lenient, wait=0, wait=50'])(
    'returns 202 immediately if it waits no time: %s',
    async (prefer) => {
      const session = createManualSession();
      const reply = createHeldReply('Done.');
      const response = await post(
        session,
        { message: registerScript(reply.reply).message() },
        createPreferOptions(prefer),
      );
      expect([summarizeResponse(response), (await readJson(response)).status]).toEqual([
        [202, 'wait=0'],
        'accepted',
      ]);
      reply.release();
    },
  );

  it.each([
    'wait',
    'wait=',
    'wait=-1',
    'wait=1.5',
    'wait=soon',
    'wait=1e1',
    'wait="1',
    'waiting=3',
    'wait=x, wait=0',
  ])('ignores an invalid wait: %s', async (prefer) => {
    const session = createManualSession();
    const response = await post(
      session,
      { message: registerScript('Done.').message() },
      createPreferOptions(prefer),
    );
    expect([summarizeResponse(response), isInBackground(session)]).toEqual([[200, null], false]);
  });

  it('waits at most a minute, even if it asks for more', async () => {
    const { session, turn, reply } = await startRunning();
    const asking = get(session, turn, 'wait=99999999999999999999');
    await waitUntilWatched(session);
    advanceTime(60_000);
    expect(summarizeResponse(await asking)).toEqual([202, 'wait=60']);
    reply.release();
  });

  it('returns as soon as its turn waits, with the pending calls', async () => {
    const session = createSessionPath('clerk');
    const { message } = registerScript({
      calls: [{ name: 'pay', input: { to: crypto.randomUUID(), amount: 1 } }],
    });
    const response = await post(session, { message: message() }, createPreferOptions('wait=10'));
    expect([summarizeResponse(response), await readJson(response)]).toMatchObject([
      [202, 'wait=10'],
      { status: 'suspended', pending: [{ tool: 'pay' }] },
    ]);
  });

  it('returns the error of a turn that failed', async () => {
    const response = await post(
      createSessionPath(),
      { message: registerScript().message() },
      createPreferOptions('wait=10'),
    );
    expect([summarizeResponse(response), (await readJson(response)).outcome]).toEqual([
      [502, 'wait=10'],
      'failed',
    ]);
  });

  it('returns immediately if it was answered before', async () => {
    const session = createSessionPath();
    const body = { message: registerScript('Done.').message() };
    const first = await readJson(
      await post(session, body, createPreferOptions('wait=10', { 'idempotency-key': 'k' })),
    );
    const again = await post(session, body, createPreferOptions('wait=10', { 'idempotency-key': 'k' }));
    expect([summarizeResponse(again), await readJson(again)]).toEqual([[200, 'wait=10'], first]);
  });

  it('counts the time in the queue as waiting', async () => {
    const { session, reply } = await startRunning('Done.', 'Next.');
    const queue = { method: 'POST', headers: { 'content-type': 'application/json', prefer: 'wait=10' } };
    const next = send(`${session}/messages?whenBusy=queue`, { ...queue, body: '{"message":"Next"}' });
    await waitUntilWatched(session);
    reply.release();
    const response = await next;
    expect([summarizeResponse(response), await readJson(response)]).toMatchObject([
      [200, 'wait=10'],
      { text: 'Next.' },
    ]);
  });

  it('returns immediately if it steers another turn', async () => {
    const { session, turn, reply } = await startRunning();
    const headers = { 'content-type': 'application/json', prefer: 'wait=10' };
    const body = '{"message":"By the way"}';
    const response = await send(`${session}/messages?whenBusy=steer`, { method: 'POST', headers, body });
    expect([summarizeResponse(response), await readJson(response)]).toMatchObject([
      [202, 'wait=10'],
      { status: 'steering', into: turn },
    ]);
    reply.release();
  });

  it('ignores the limit for a stream, which begins immediately', async () => {
    const session = createSessionPath();
    const response = await post(
      session,
      { message: registerScript('Done.').message() },
      createPreferOptions('wait=10', SSE_HEADERS),
    );
    expect(summarizeResponse(response)).toEqual([200, null]);
    const events = await readAllEvents(response);
    expect(events.map(({ event }) => event)).toContain('text-delta');
  });
});

describe('an answer to a call whose client limits its wait', () => {
  it.each([
    ['pay', { decision: 'approve' }],
    ['look_up', { result: 1 }],
  ])('is handled like a message for a call of %s', async (tool, body) => {
    const waits = await startWaitingTurn([tool]);
    const response = await answer(getOnlyLink(waits), body, createPreferOptions('wait=10'));
    expect([summarizeResponse(response), await readJson(response)]).toMatchObject([
      [200, 'wait=10'],
      { turn: waits.turn, text: 'Done.' },
    ]);
    expect(isInBackground(waits.session)).toBe(true);
  });

  it('returns 202 immediately if it waits no time', async () => {
    const waits = await startWaitingTurn(['pay']);
    expect(
      summarizeResponse(
        await answer(getOnlyLink(waits), { decision: 'approve' }, createPreferOptions('wait=0')),
      ),
    ).toEqual([202, 'wait=0']);
  });
});

describe('GET .../turns/{turn} of a client that limits its wait', () => {
  it('returns when the turn ends', async () => {
    const { session, turn, reply } = await startRunning();
    const asking = get(session, turn, 'wait=10');
    await waitUntilWatched(session);
    reply.release();
    const response = await asking;
    expect([summarizeResponse(response), await readJson(response)]).toMatchObject([
      [200, 'wait=10'],
      { turn, text: 'Done.' },
    ]);
  });

  it('reports a running turn, and when to ask again, if the time is over', async () => {
    const { session, turn, reply } = await startRunning();
    const asking = get(session, turn, 'wait=10');
    await waitUntilWatched(session);
    advanceTime(10_000);
    const response = await asking;
    expect([
      summarizeResponse(response),
      response.headers.get('retry-after'),
      await readJson(response),
    ]).toMatchObject([[202, 'wait=10'], '1', { turn, status: 'running' }]);
    reply.release();
  });

  it('returns immediately for a turn that needs a caller to continue', async () => {
    const { session, turn } = await startWaitingTurn(['pay']);
    const suspended = await get(session, turn, 'wait=10');
    expect([summarizeResponse(suspended), (await readJson(suspended)).status]).toEqual([
      [202, 'wait=10'],
      'suspended',
    ]);
    expect((await get(session, 'none', 'wait=10')).status).toBe(404);
  });

  it('reports that the session was erased while it waited', async () => {
    const { session, turn, reply } = await startRunning();
    const asking = get(session, turn, 'wait=10');
    await waitUntilWatched(session);
    await send(session, { method: 'DELETE' });
    const response = await asking;
    expect([response.status, (await readJson(response)).title]).toEqual([410, 'session erased']);
    reply.release();
  });
});
