import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  getSessionId,
  getSessionName,
  post,
  readAllEvents,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
  sendUnchecked,
} from './client.ts';
import { advanceClock, createManualSession, LONG_LEASE_MS } from './time.ts';
import { storeUnreadableTurn } from './unreadable-turn.ts';

let said: readonly unknown[][];
beforeEach(() => {
  said = vi.spyOn(console, 'error').mockImplementation(() => {}).mock.calls;
});
afterEach(async () => {
  // Otherwise the sessions' alarms keep retrying during the next test.
  for (const session of begunTurns.splice(0)) await send(session, { method: 'DELETE' });
  vi.restoreAllMocks();
});

const begunTurns: string[] = [];

function createFreshPath(): string {
  const session = createManualSession();
  begunTurns.push(session);
  return session;
}

/** Returns the open turn, whether it is leased, and the number of its take-overs. */
const readLease = (session: string) =>
  runInDurableObject(env.SESSIONS.getByName(getSessionName(session)), (_, { storage }) =>
    storage.sql.exec('SELECT turn, expired, state FROM lease').one(),
  );

/** Waits until the session's alarm has handed the turn over, and the next holder has released it. */
async function tryAgain(session: string, then: object): Promise<void> {
  await advanceClock(session, 5 * LONG_LEASE_MS);
  await expect.poll(() => readLease(session)).toEqual({ ...then, state: 'free' });
}

const createProblem = (more: object) => ({
  type: 'urn:holdfast:problem:session-unreadable',
  title: 'session unreadable',
  status: 503,
  detail:
    'This deployment cannot read the session. GET .../events shows its events, POST .../cancel ends its open turn.',
  ...more,
});

const STUCK_ERROR = {
  type: 'stuck',
  message:
    'The turn was taken over 8 times without progress, and could not be read. Deploy code that can read it, or begin another session.',
};

/** Posts a message without waiting for its answer. */
const postMessage = (session: string, query = ''): Promise<Response> =>
  send(`${session}/messages${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ message: 'Next.' }),
  });

describe('a session with an unreadable turn', () => {
  it('returns the object’s own records', async () => {
    const session = createFreshPath();
    const turn = await storeUnreadableTurn(session);
    const next = await readJson(await postMessage(session, '?whenBusy=queue'));
    const shown = await send(session);
    expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, null]);
    const waiting = [{ turn: next.turn, status: 'queued' }];
    expect(await readJson(shown)).toEqual(createProblem({ seq: 3, openTurn: turn, waiting }));
    expect(said.map(([text]) => text)).toEqual([
      `holdfast: request ${shown.headers.get('x-request-id')} failed`,
    ]);
  });

  it('shows its events and the running turn, without a fold', async () => {
    const session = createFreshPath();
    const turn = await storeUnreadableTurn(session);
    // The event that makes the turn unreadable does not match its description.
    const { events } = await readJson(await sendUnchecked(`${session}/events`));
    const types = ['session-opened', 'turn-started', 'frame-started'];
    expect(events).toMatchObject(types.map((type) => ({ type })));
    const stream = readSentEvents(await sendUnchecked(`${session}/events`, { headers: SSE_HEADERS }));
    expect((await readUntil(stream, 'frame-started')).map(({ event }) => event)).toEqual(types);
    await stream.return(undefined);
    const asked = await send(`${session}/turns/${turn}`);
    expect([asked.status, asked.headers.get('retry-after')]).toEqual([202, '1']);
    expect(await readJson(asked)).toEqual({
      turn,
      session: getSessionId(session),
      agent: 'scripted',
      status: 'running',
    });
    const busy = await post(session, { message: 'And?' });
    expect([busy.status, await readJson(busy)]).toMatchObject([409, { title: 'session busy', turn }]);
  });

  it('ends the turn as stuck, and accepts the next message', async () => {
    const session = createFreshPath();
    const turn = await storeUnreadableTurn(session);
    for (let times = 1; times <= 8; times += 1) await tryAgain(session, { expired: times, turn });
    await tryAgain(session, { expired: 8, turn: null });
    expect(said.slice(-2)).toEqual([
      ['holdfast: a turn that cannot be read has ended', expect.any(Error)],
      [
        `holdfast: a turn failed (stuck): ${STUCK_ERROR.message} (agent scripted, session ${getSessionId(session)}, turn ${turn})`,
      ],
    ]);
    const asked = await send(`${session}/turns/${turn}`);
    expect([asked.status, await readJson(asked)]).toMatchObject([
      500,
      { title: 'turn failed', turn, outcome: 'failed', error: STUCK_ERROR },
    ]);
    const next = await post(session, { message: 'Next.' });
    expect([next.status, await readJson(next)]).toEqual([
      202,
      { turn: expect.any(String), session: getSessionId(session), agent: 'scripted', status: 'accepted' },
    ]);
    expect(next.headers.get('location')).toContain(`${session}/turns/`);
    expect(said.at(-1)?.[0]).toBe('holdfast: a turn that cannot be read is tried again');
  });

  it('streams an accepted event for the next message', async () => {
    const session = createFreshPath();
    const turn = await storeUnreadableTurn(session);
    await send(`${session}/cancel`, { method: 'POST' });
    await expect.poll(() => readLease(session)).toMatchObject({ turn: null });
    const events = await readAllEvents(await post(session, { message: 'Next.' }, { headers: SSE_HEADERS }));
    expect(events).toEqual([
      {
        event: 'accepted',
        data: {
          turn: expect.any(String),
          session: getSessionId(session),
          agent: 'scripted',
          status: 'accepted',
        },
      },
    ]);
    expect(events[0]?.data.turn).not.toBe(turn);
  });

  it('ends the turn immediately if a caller cancels it', async () => {
    const session = createFreshPath();
    const turn = await storeUnreadableTurn(session);
    const cancelled = await send(`${session}/cancel`, { method: 'POST' });
    expect([cancelled.status, await readJson(cancelled)]).toEqual([
      202,
      { turn, status: 'cancel-requested' },
    ]);
    const readAnswer = async () => readJson(await send(`${session}/turns/${turn}`));
    await expect.poll(readAnswer).toMatchObject({ turn, outcome: 'cancelled', text: '' });
    expect(said.map(([text]) => text)).toEqual(['holdfast: a turn that cannot be read has ended']);
  });
});
