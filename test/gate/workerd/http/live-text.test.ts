/**
 * The text of a streaming reply for all readers: the sender, and those who follow the session or the turn.
 */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { playModel, waitUntil } from '../../../fixtures/scripts.ts';
import { appWith, objectsWith } from './app.ts';
import {
  allEvents,
  eventsOf,
  json,
  newSession,
  post,
  readUntil,
  type SentEvent,
  SSE,
  send,
  sessionName,
} from './client.ts';
import { advanceClock, LONG_LEASE_MS, newManualSession } from './time.ts';

/** A model that replies to the first message at once, and then waits before each further piece. */
function createSpeaking(...replies: readonly (readonly string[])[]) {
  let allowed = 0;
  let asked = 0;
  const { key } = playModel({
    name: 'speaking',
    async ask({ messages }, { signal, onText }) {
      if (messages.filter(({ role }) => role === 'user').length === 1) {
        return { text: 'Before.', toolCalls: [], finish: 'stop' };
      }
      const before = replies.slice(0, asked).flat().length;
      const pieces = replies[asked++] ?? [];
      for (const [index, piece] of pieces.entries()) {
        await waitUntil(() => signal.aborted || allowed > before + index);
        if (signal.aborted) throw signal.reason;
        onText?.(piece);
      }
      return { text: pieces.join(''), toolCalls: [], finish: 'stop' };
    },
  });
  return {
    message: `Hello #${key}`,
    asked: (count = 1) => waitUntil(() => asked >= count),
    say: (count = Number.POSITIVE_INFINITY) => {
      allowed += count;
    },
  };
}

/** A session with an ended turn, so that it can be read. */
async function beginSession(
  { message }: { readonly message: string },
  session = newSession(),
): Promise<string> {
  await (await post(session, { message })).text();
  return session;
}

/** Follows a path from the next event on. */
async function followEvents(path: string, init: RequestInit = {}) {
  const events = eventsOf(await send(path, { ...init, headers: { ...SSE, ...init.headers } }));
  return {
    until: (name: string) => readUntil(events, name),
    leave: () => events.return(undefined),
  };
}

/** Returns the number of the object's open lines, by kind. */
const linesOf = (session: string): Promise<Readonly<Record<string, number>>> =>
  runInDurableObject(env.SESSIONS.getByName(sessionName(session)), (_, state) =>
    Object.fromEntries(['holder', 'reader', 'live'].map((tag) => [tag, state.getWebSockets(tag).length])),
  );

const readersOf = async (session: string): Promise<number> => (await linesOf(session)).live ?? 0;

/** Joins the pieces of each reply, in their place between the events. */
function storyOf(events: readonly SentEvent[]): readonly string[] {
  const told: string[] = [];
  for (const { id, event, data } of events) {
    const who = `${data.reply}: `;
    if (event === 'reply-restarted') told.push(`restarted ${data.reply}`);
    else if (event !== 'text-delta') told.push(event);
    else {
      expect(id).toBeUndefined();
      if (told.at(-1)?.startsWith(who)) told.push(`${told.pop()}${data.text}`);
      else told.push(`${who}${data.text}`);
    }
  }
  return told;
}

const TURN = ['turn-started', '1.1: Hello, you.', 'model-replied', 'turn-ended'];

describe('streamed text', () => {
  it('is the same for the sender, for two followers of the session, and for a follower of the turn', async () => {
    const model = createSpeaking(['Hel', 'lo, ', 'you.']);
    const session = await beginSession(model);
    const events = `${session}/events?after=4`;
    const [one, two] = [await followEvents(events), await followEvents(events)];
    await expect.poll(() => readersOf(session)).toBe(2);
    const asking = post(session, { message: model.message }, { headers: SSE });
    await model.asked();
    const start = await one.until('turn-started');
    const ofTurn = await followEvents(`${session}/turns/${start[0]?.data.turn}`);
    await expect.poll(() => readersOf(session)).toBe(3);
    model.say(1);
    const first = await one.until('text-delta');
    expect(storyOf(first)).toEqual(['1.1: Hel']); // while the model still streams
    model.say();
    const own = await allEvents(await asking);
    expect(storyOf(own)).toEqual([...TURN, 'answer']);
    expect(storyOf([...start, ...first, ...(await one.until('turn-ended'))])).toEqual(TURN);
    expect(storyOf(await two.until('turn-ended'))).toEqual(TURN);
    expect(storyOf(await ofTurn.until('answer'))).toEqual([...TURN, 'answer']);
    for (const reader of [one, two]) await reader.leave();
  });

  it('of a turn in the background reaches followers of the session and a client that resends the message', async () => {
    const model = createSpeaking(['Hel', 'lo, ', 'you.']);
    const session = await beginSession(model);
    const reader = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => readersOf(session)).toBe(1);
    const body = { message: model.message };
    const key = { 'idempotency-key': 'k' };
    const accepted = await post(session, body, { headers: { ...key, prefer: 'respond-async' } });
    expect(accepted.status).toBe(202);
    await model.asked();
    const joined = post(session, body, { headers: { ...key, ...SSE } });
    await expect.poll(() => readersOf(session)).toBe(2);
    model.say();
    expect(storyOf(await reader.until('turn-ended'))).toEqual(TURN);
    expect(storyOf(await allEvents(await joined))).toEqual([...TURN, 'answer']);
    await reader.leave();
  });

  it('restarts, and reports that, if the turn’s invocation is gone', async () => {
    const model = createSpeaking(['Hel', 'never'], ['Hello, ', 'you.']);
    const session = await beginSession(model, newManualSession());
    const reader = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => readersOf(session)).toBe(1);
    const refuse = () =>
      Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
    const sessions = { SESSIONS: objectsWith(() => ({ append: refuse, renew: refuse })) };
    const via = appWith({ use: [liveText()] }, sessions);
    const asking = post(session, { message: model.message }, { headers: SSE, via });
    await model.asked();
    model.say(1);
    const before = await reader.until('text-delta');
    expect(storyOf(before)).toEqual(['turn-started', '1.1: Hel']);
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, LONG_LEASE_MS);
    await model.asked(2);
    model.say();
    const rest = ['turn-resumed', 'restarted 1.2', '1.2: Hello, you.', 'model-replied', 'turn-ended'];
    expect(storyOf(await reader.until('turn-ended'))).toEqual(rest);
    expect(storyOf(await allEvents(await asking))).toEqual(['turn-started', '1.1: Hel', ...rest, 'answer']);
    await reader.leave();
  });

  it('does not wait for slow readers, and reaches them later', async () => {
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(20_000));
    const model = createSpeaking(pieces);
    const session = await beginSession(model);
    const slow = await send(`${session}/events?after=4`, { headers: SSE });
    const good = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => readersOf(session)).toBe(2);
    const asking = post(session, { message: model.message });
    const read: SentEvent[] = [];
    for (const _ of pieces) {
      await model.asked();
      model.say(1);
      read.push(...(await good.until('text-delta')));
    }
    expect(await json(await asking)).toMatchObject({ outcome: 'completed' });
    const events = eventsOf(slow);
    const late = await readUntil(events, 'turn-ended');
    const lengthOf = (sent: readonly SentEvent[]): number =>
      sent.reduce((sum, { event, data }) => sum + (event === 'text-delta' ? String(data.text).length : 0), 0);
    expect([lengthOf(read), lengthOf(late)]).toEqual([600_000, 600_000]);
    const journaled = late.filter(({ id }) => id !== undefined).map(({ event }) => event);
    expect(journaled).toEqual(['turn-started', 'model-replied', 'turn-ended']);
    await events.return(undefined);
    await good.leave();
  });

  it('of a turn in the background is complete for a client that joins in the middle of a reply', async () => {
    const model = createSpeaking(['Hel', 'lo, ', 'you.']);
    const session = await beginSession(model);
    const accepted = await post(
      session,
      { message: model.message },
      { headers: { prefer: 'respond-async' } },
    );
    await model.asked();
    model.say(2);
    const reader = await followEvents(accepted.headers.get('location') ?? '');
    const before = await reader.until('text-delta');
    expect(storyOf(before)).toEqual(['turn-started', '1.1: Hello, ']); // as soon as the holder has its line
    model.say();
    expect(storyOf([...before, ...(await reader.until('answer'))])).toEqual([...TURN, 'answer']);
  });

  it('has no cost without readers, because there is no line', async () => {
    const model = createSpeaking(['Hello, ', 'you.']);
    const session = await beginSession(model);
    const asking = post(session, { message: model.message });
    await model.asked();
    expect(await linesOf(session)).toEqual({ holder: 0, reader: 0, live: 0 });
    model.say();
    expect(await json(await asking)).toMatchObject({ text: 'Hello, you.' });
  });

  it('is not sent to clients that wait for the answer only', async () => {
    const model = createSpeaking(['Hello, ', 'you.']);
    const session = await beginSession(model);
    const body = { message: model.message };
    const key = { 'idempotency-key': 'k' };
    const asking = post(session, body, { headers: key });
    await model.asked();
    const joined = post(session, body, { headers: key });
    await expect.poll(async () => (await linesOf(session)).reader).toBe(1);
    expect(await readersOf(session)).toBe(0);
    model.say();
    expect([await json(await asking), await json(await joined)]).toMatchObject([
      { text: 'Hello, you.' },
      { text: 'Hello, you.' },
    ]);
  });
});
