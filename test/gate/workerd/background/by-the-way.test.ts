/** Turns that an alarm hands over. This file runs twice: with a bound queue, and without one. */
import { abortAllDurableObjects } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { handOvers, queuedTurns } from '../../../fixtures/hand-overs.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { lostClients } from '../../../fixtures/lost-clients.ts';
import { setLimits } from '../../../fixtures/platform.ts';
import { recordings } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from '../http/app.ts';
import {
  createSessionPath,
  followToEnd,
  getSessionName,
  post,
  readJournal,
  readJson,
  send,
} from '../http/client.ts';
import { advanceClock, createManualSession, deliverToHolders, LONG_LEASE_MS } from '../http/time.ts';

const hasQueue = 'TURNS' in env;
const BACKGROUND = { headers: { prefer: 'respond-async' } };

let lift = (): void => {};
afterEach(() => lift());

const createRecordReply = (note: string) => ({ calls: [{ name: 'record', input: { note } }] });
const countRecordings = (note: string): number => recordings.filter((one) => one.note === note).length;
const countEvents = (events: readonly Record<string, unknown>[], type: string): number =>
  events.filter((event) => event.type === type).length;
const getOutcomes = async (session: string): Promise<unknown[]> =>
  (await readJournal(session)).flatMap(({ type, outcome }) => (type === 'turn-ended' ? [outcome] : []));

/** Counts this session's hand-overs in a list: by one route, or in total. */
function countHandOvers(session: string, by: typeof handOvers): number {
  const name = getSessionName(session);
  return by.filter((one) => one.name === name).length;
}

const refuse = () => Promise.reject(new Error('this invocation is cut off'));
/** An invocation that can begin a turn, but whose appends and lease renewals fail. */
const abandonedApp = createTestApp({}, { SESSIONS: wrapObjects(() => ({ append: refuse, renew: refuse })) });

/** Reads the whole journal, page by page. */
async function readWholeJournal(session: string): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for (let path: unknown = `${session}/events`; typeof path === 'string'; ) {
    const page = await readJson(await send(path));
    events.push(...(page.events as Record<string, unknown>[]));
    path = page.next;
  }
  return events;
}

describe('a turn in the background', () => {
  it(`runs ${hasQueue ? 'through the bound queue' : 'through the loopback'}`, async () => {
    const session = createSessionPath();
    await post(session, { message: registerScript('Done.').message() }, BACKGROUND);
    await followToEnd(session);
    expect([countHandOvers(session, handOvers), countHandOvers(session, queuedTurns)]).toEqual([
      1,
      hasQueue ? 1 : 0,
    ]);
  });

  it('stops when it is cancelled', async () => {
    const session = createManualSession();
    const answer = createHeldReply('Never.');
    await post(session, { message: registerScript(answer.reply).message() }, BACKGROUND);
    await answer.asked();
    expect((await send(`${session}/cancel`, { method: 'POST' })).status).toBe(202);
    deliverToHolders();
    expect((await followToEnd(session)).at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'cancelled' });
  });

  it('resumes when its object restarts', async () => {
    const session = createManualSession();
    const replyNext = ({ messages }: ModelRequest): ScriptedReply =>
      messages.some(({ role }) => role === 'tool') ? 'Done.' : createRecordReply('bg-abort');
    const answer = createHeldReply(replyNext);
    const { message } = registerScript(answer.reply, replyNext, replyNext);
    await post(session, { message: message() }, BACKGROUND);
    await answer.asked();
    await abortAllDurableObjects();
    answer.release();
    // The invocation called by the object is gone, so the next holder need not wait for it.
    await advanceClock(session, 2 * LONG_LEASE_MS);
    await followToEnd(session);
    expect([countRecordings('bg-abort'), await getOutcomes(session)]).toEqual([1, ['completed']]);
  });
});

describe('a turn whose client disconnects', () => {
  it('is handed over and ends without a client', async () => {
    const session = createSessionPath();
    const answer = createHeldReply(createRecordReply('gone-json'));
    const { message } = registerScript(answer.reply, 'Done.');
    const client = new AbortController();
    const answering = post(session, { message: message() }, { signal: client.signal });
    await answer.asked();
    client.abort();
    await expect(answering).rejects.toThrow('aborted');
    await waitUntil(() => lostClients.includes(`${session}/messages`));
    answer.release();
    const events = await followToEnd(session);
    expect(events.map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'turn-yielded',
      'turn-resumed',
      'tool-call-started',
      'tool-call-ended',
      'model-replied',
      'turn-ended',
    ]);
    expect(events[3]).toMatchObject({ reason: 'its client has gone' });
    expect((await readJson(await send(session))).turn).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(countRecordings('gone-json')).toBe(1);
  });
});

describe('a turn whose invocation stops responding', () => {
  it('is finished by the alarm, and its client still receives the answer', async () => {
    const session = createManualSession();
    const never = createHeldReply('Never.', { deaf: true });
    onTestFinished(never.release);
    const { message, model } = registerScript(never.reply, createRecordReply('taken'), 'Done.');
    const answering = post(session, { message: message() }, { via: abandonedApp });
    await never.asked();
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, LONG_LEASE_MS);
    const response = await answering;
    expect([response.status, (await readJson(response)).text]).toEqual([200, 'Done.']);
    expect((await readJournal(session))[2]).toMatchObject({ type: 'turn-resumed', cause: 'expired' });
    expect([model.requests.length, countRecordings('taken'), await getOutcomes(session)]).toEqual([
      3,
      1,
      ['completed'],
    ]);
  });
});

describe('a turn with more work than one invocation can do', () => {
  it('completes 300 iterations with 40 subrequests per invocation, and its client receives the answer', async () => {
    lift = setLimits({ subrequests: 40, internalSubrequests: 40 });
    const session = createManualSession('marathon');
    const add = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };
    const { message, model } = registerScript(...Array.from({ length: 299 }, () => add), 'Done.');
    const response = await post(session, { message: message() });
    expect(response.status).toBe(200);
    expect(await readJson(response)).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 300 });
    const events = await readWholeJournal(session);
    const handedOver = countHandOvers(session, handOvers);
    console.log(`long turn: 300 iterations took ${1 + handedOver} invocations of 40 subrequests`);
    expect(countEvents(events, 'turn-yielded')).toBe(handedOver);
    expect(countEvents(events, 'turn-resumed')).toBe(handedOver);
    expect(handedOver).toBeGreaterThan(20);
    expect(handedOver).toBeLessThan(60);
    expect([model.requests.length, countEvents(events, 'tool-call-ended')]).toEqual([300, 299]);
  }, 60_000);
});
