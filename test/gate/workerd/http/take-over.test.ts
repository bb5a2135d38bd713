import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { holdReply, script } from '../../../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import { allEvents, eventsOf, journal, json, post, readUntil, SSE, send, sessionName } from './client.ts';
import { advanceClock, LONG_LEASE_MS, newManualSession } from './time.ts';

/** Lets its lease run out, by the clock of its object. */
const leaseRunsOut = (session: string): Promise<void> => advanceClock(session, LONG_LEASE_MS);

const stubOf = (session: string) => env.SESSIONS.getByName(sessionName(session));

const record = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
const count = (note: string): number => recordings.filter((one) => one.note === note).length;
const outcomesOf = async (session: string): Promise<unknown[]> =>
  (await journal(session)).flatMap(({ type, outcome }) => (type === 'turn-ended' ? [outcome] : []));

/** Calls to an overloaded object are not retried. */
const refuse = () =>
  Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
/** An invocation that can begin a turn, but can then neither store events nor renew its lease. */
const abandonedApp = appWith({}, { SESSIONS: objectsWith(() => ({ append: refuse, renew: refuse })) });

describe('a turn whose invocation goes silent', () => {
  it('continues in the stream of its client', async () => {
    const session = newManualSession();
    const lost = holdReply('Not stored.');
    const { message } = script(lost.reply, 'Done.');
    const streaming = post(session, { message: message() }, { headers: SSE, via: abandonedApp });
    await lost.asked();
    lost.release();
    advanceTime(LONG_LEASE_MS);
    await leaseRunsOut(session);
    const events = await allEvents(await streaming);
    expect(events.filter(({ event }) => event !== 'text-delta').map(({ id, event }) => [id, event])).toEqual([
      [2, 'turn-started'],
      [3, 'turn-resumed'],
      [4, 'model-replied'],
      [5, 'turn-ended'],
      [undefined, 'answer'],
    ]);
    expect(events.at(-1)?.data).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('is taken over when its alarm fires, not before', async () => {
    const session = newManualSession();
    const never = holdReply('Never.');
    const { message } = script(never.reply, 'Done.');
    const answering = post(session, { message: message() }, { via: abandonedApp });
    await never.asked();
    expect(await runDurableObjectAlarm(stubOf(session))).toBe(true);
    expect((await journal(session)).length).toBe(2);
    advanceTime(LONG_LEASE_MS);
    await leaseRunsOut(session);
    expect(await json(await answering)).toMatchObject({ text: 'Done.' });
  });
});

describe('a turn whose lease was granted to another invocation', () => {
  it('is no longer written by the first invocation, which waits for the answer', async () => {
    const session = newManualSession();
    const answer = holdReply(record('fenced'));
    const { message } = script(answer.reply, record('fenced'), 'Done.');
    const answering = post(session, { message: message() });
    await answer.asked();
    await runInDurableObject(stubOf(session), (_, { storage }) => {
      storage.sql.exec('UPDATE lease SET epoch = epoch + 1');
    });
    await evictDurableObject(stubOf(session)); // it remembers the lease that it granted
    answer.release();
    await leaseRunsOut(session);
    expect(await json(await answering)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([count('fenced'), await outcomesOf(session)]).toEqual([1, ['completed']]);
  });
});

describe('a turn whose object restarts', () => {
  it.each(['aborted', 'evicted'] as const)('continues if it is %s while the model thinks', async (how) => {
    const session = newManualSession();
    const answer = holdReply(record(how));
    const { message, model } = script(answer.reply, 'Done.');
    const answering = post(session, { message: message() });
    await answer.asked();
    if (how === 'aborted') await abortAllDurableObjects();
    else await evictDurableObject(stubOf(session));
    answer.release();
    expect(await json(await answering)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([model.requests.length, count(how), await outcomesOf(session)]).toEqual([2, 1, ['completed']]);
  });

  it('is still followed by its watchers', async () => {
    const session = newManualSession();
    const answer = holdReply('Done.');
    const answering = post(session, { message: script(answer.reply).message() });
    await answer.asked();
    const events = eventsOf(await send(`${session}/events`, { headers: SSE }));
    await readUntil(events, 'turn-started');
    await abortAllDurableObjects();
    answer.release();
    await (await answering).text();
    expect((await readUntil(events, 'turn-ended')).map(({ id }) => id)).toEqual([3, 4]);
    await events.return(undefined);
  });
});
