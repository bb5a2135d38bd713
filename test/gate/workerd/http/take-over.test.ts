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
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  getSessionName,
  post,
  readAllEvents,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  SSE_HEADERS,
  send,
} from './client.ts';
import { advanceClock, createManualSession, LONG_LEASE_MS } from './time.ts';

/** Expires the session's lease by the clock of its object. */
const expireLease = (session: string): Promise<void> => advanceClock(session, LONG_LEASE_MS);

const getStub = (session: string) => env.SESSIONS.getByName(getSessionName(session));

const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
const countRecordings = (note: string): number => recordings.filter((one) => one.note === note).length;
const listOutcomes = async (session: string): Promise<unknown[]> =>
  (await readJournal(session)).flatMap(({ type, outcome }) => (type === 'turn-ended' ? [outcome] : []));

/** Calls to an overloaded object are not retried. */
const refuse = () =>
  Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
/** An invocation that can begin a turn, but whose appends and lease renewals fail. */
const abandonedApp = createTestApp({}, { SESSIONS: wrapObjects(() => ({ append: refuse, renew: refuse })) });

describe('a turn whose invocation stops responding', () => {
  it('continues in the stream of its client', async () => {
    const session = createManualSession();
    const lost = createHeldReply('Not stored.');
    const { message } = registerScript(lost.reply, 'Done.');
    const streaming = post(session, { message: message() }, { headers: SSE_HEADERS, via: abandonedApp });
    await lost.asked();
    lost.release();
    advanceTime(LONG_LEASE_MS);
    await expireLease(session);
    const events = await readAllEvents(await streaming);
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
    const session = createManualSession();
    const never = createHeldReply('Never.');
    const { message } = registerScript(never.reply, 'Done.');
    const answering = post(session, { message: message() }, { via: abandonedApp });
    await never.asked();
    expect(await runDurableObjectAlarm(getStub(session))).toBe(true);
    expect((await readJournal(session)).length).toBe(2);
    advanceTime(LONG_LEASE_MS);
    await expireLease(session);
    expect(await readJson(await answering)).toMatchObject({ text: 'Done.' });
  });
});

describe('a turn whose lease was granted to another invocation', () => {
  it('is no longer written by the first invocation, which waits for the answer', async () => {
    const session = createManualSession();
    const answer = createHeldReply(createRecordReply('fenced'));
    const { message } = registerScript(answer.reply, createRecordReply('fenced'), 'Done.');
    const answering = post(session, { message: message() });
    await answer.asked();
    await runInDurableObject(getStub(session), (_, { storage }) => {
      storage.sql.exec('UPDATE lease SET epoch = epoch + 1');
    });
    await evictDurableObject(getStub(session)); // the object remembers the lease that it granted
    answer.release();
    await expireLease(session);
    expect(await readJson(await answering)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([countRecordings('fenced'), await listOutcomes(session)]).toEqual([1, ['completed']]);
  });
});

describe('a turn whose object restarts', () => {
  it.each(['aborted', 'evicted'] as const)('continues if it is %s while the model thinks', async (how) => {
    const session = createManualSession();
    const answer = createHeldReply(createRecordReply(how));
    const { message, model } = registerScript(answer.reply, 'Done.');
    const answering = post(session, { message: message() });
    await answer.asked();
    if (how === 'aborted') await abortAllDurableObjects();
    else await evictDurableObject(getStub(session));
    answer.release();
    expect(await readJson(await answering)).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect([model.requests.length, countRecordings(how), await listOutcomes(session)]).toEqual([
      2,
      1,
      ['completed'],
    ]);
  });

  it('is still followed by its watchers', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Done.');
    const answering = post(session, { message: registerScript(answer.reply).message() });
    await answer.asked();
    const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
    await readUntil(events, 'turn-started');
    await abortAllDurableObjects();
    answer.release();
    await (await answering).text();
    expect((await readUntil(events, 'turn-ended')).map(({ id }) => id)).toEqual([3, 4]);
    await events.return(undefined);
  });
});
