import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { getSessionName, post, readAllEvents, readJournal, readJson, SSE_HEADERS, send } from './client.ts';
import { advanceClock, createManualSession, LONG_LEASE_MS } from './time.ts';

/** Calls to an overloaded object are not retried. */
const refuse = () =>
  Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
/** An invocation that can begin a turn, but whose appends and lease renewals fail. */
const abandonedApp = createTestApp({}, { SESSIONS: wrapObjects(() => ({ append: refuse, renew: refuse })) });

const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));
const readAlarm = (session: string) =>
  runInDurableObject(getStub(session), (_, { storage }) => storage.getAlarm());
const KEY_HEADERS = { 'idempotency-key': 'k1' };

/** A turn with a silent invocation, an expired lease, and an alarm that the platform has lost. */
async function loseTurnAlarm() {
  const session = createManualSession();
  const lost = createHeldReply('Not stored.');
  const { message, model } = registerScript(lost.reply, 'Done.');
  const body = { message: message() };
  const answering = post(session, body, { headers: KEY_HEADERS, via: abandonedApp });
  await lost.asked();
  lost.release();
  const turn = String((await readJournal(session))[1]?.turn);
  await runInDurableObject(getStub(session), (_, { storage }) => storage.deleteAlarm());
  advanceTime(LONG_LEASE_MS);
  await advanceClock(session, LONG_LEASE_MS + 2_000);
  return { session, turn, body, model, answering };
}

describe('a turn whose alarm the platform has lost', () => {
  it('is taken over by a repeated message, which receives the answer', async () => {
    const { session, turn, body, model, answering } = await loseTurnAlarm();
    const again = await post(session, body, { headers: KEY_HEADERS });
    expect([again.status, await readJson(again)]).toMatchObject([
      200,
      { turn, outcome: 'completed', text: 'Done.' },
    ]);
    expect(await readJson(await answering)).toMatchObject({ turn, text: 'Done.' });
    expect(model.requests.length).toBe(2);
    const types = (await readJournal(session)).map(({ type }) => type);
    expect(types.filter((type) => type === 'turn-resumed')).toHaveLength(1);
  });

  it('is streamed to a client that repeats its message and asks for a stream', async () => {
    const { session, turn, body, answering } = await loseTurnAlarm();
    const events = await readAllEvents(
      await post(session, body, { headers: { ...KEY_HEADERS, ...SSE_HEADERS } }),
    );
    const stored = events.filter(({ id }) => id !== undefined).map(({ event }) => event);
    expect(stored).toEqual(['turn-started', 'turn-resumed', 'model-replied', 'turn-ended']);
    expect(events.at(-1)?.data).toMatchObject({ turn, text: 'Done.' });
    await answering;
  });

  it.each([
    ['a read of the turn', {}],
    ['a stream of the turn', SSE_HEADERS],
  ])('resumes in the background after %s', async (_, headers) => {
    const { session, turn, answering } = await loseTurnAlarm();
    const asked = await send(`${session}/turns/${turn}`, { headers });
    expect(asked.status).toBe('accept' in headers ? 200 : 202);
    expect(await readAlarm(session)).not.toBeNull();
    await advanceClock(session, 0);
    expect(await readJson(await answering)).toMatchObject({ turn, outcome: 'completed', text: 'Done.' });
    await asked.text();
  });

  it('resumes in the background if its message is repeated with respond-async', async () => {
    const { session, turn, body, answering } = await loseTurnAlarm();
    const again = await post(session, body, { headers: { ...KEY_HEADERS, prefer: 'respond-async' } });
    expect([again.status, await readJson(again)]).toMatchObject([202, { turn, status: 'accepted' }]);
    await advanceClock(session, 0);
    expect(await readJson(await answering)).toMatchObject({ turn, text: 'Done.' });
  });
});

it('a repeated message waits for the answer while the lease holder is alive', async () => {
  const session = createManualSession();
  const answer = createHeldReply('Done.');
  const { message, model } = registerScript(answer.reply);
  const body = { message: message() };
  const first = post(session, body, { headers: KEY_HEADERS });
  await answer.asked();
  const again = post(session, body, { headers: KEY_HEADERS });
  answer.release();
  expect(await readJson(await again)).toEqual(await readJson(await first));
  expect(model.requests.length).toBe(1);
});
