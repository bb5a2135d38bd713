/**
 * The text of a streaming reply for all readers: the sender, and those who follow the session or the turn.
 */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { liveText } from '../../../../src/modules/live-text/entry.ts';
import { advanceTime } from '../../../fixtures/held-time.ts';
import { playModel, waitUntil } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import {
  createSessionPath,
  getSessionName,
  post,
  readAllEvents,
  readJson,
  readSentEvents,
  readUntil,
  type SentEvent,
  SSE_HEADERS,
  send,
} from './client.ts';
import { advanceClock, createManualSession, LONG_LEASE_MS } from './time.ts';

/** A model that replies to the first message immediately, and then waits before each piece of text. */
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
  session = createSessionPath(),
): Promise<string> {
  await (await post(session, { message })).text();
  return session;
}

/** Follows a path from the next event on. */
async function followEvents(path: string, init: RequestInit = {}) {
  const events = readSentEvents(await send(path, { ...init, headers: { ...SSE_HEADERS, ...init.headers } }));
  return {
    until: (name: string) => readUntil(events, name),
    leave: () => events.return(undefined),
  };
}

/** Returns the number of the object's open lines, by kind. */
const countLines = (session: string): Promise<Readonly<Record<string, number>>> =>
  runInDurableObject(env.SESSIONS.getByName(getSessionName(session)), (_, state) =>
    Object.fromEntries(['holder', 'reader', 'live'].map((tag) => [tag, state.getWebSockets(tag).length])),
  );

const countReaders = async (session: string): Promise<number> => (await countLines(session)).live ?? 0;

/** Joins the pieces of each reply, and keeps their position between the events. */
function joinStory(events: readonly SentEvent[]): readonly string[] {
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

const TURN_STORY = ['turn-started', '1.1: Hello, you.', 'model-replied', 'turn-ended'];

describe('streamed text', () => {
  it('is the same for the sender, for two followers of the session, and for a follower of the turn', async () => {
    const model = createSpeaking(['Hel', 'lo, ', 'you.']);
    const session = await beginSession(model);
    const events = `${session}/events?after=4`;
    const [one, two] = [await followEvents(events), await followEvents(events)];
    await expect.poll(() => countReaders(session)).toBe(2);
    const asking = post(session, { message: model.message }, { headers: SSE_HEADERS });
    await model.asked();
    const start = await one.until('turn-started');
    const ofTurn = await followEvents(`${session}/turns/${start[0]?.data.turn}`);
    await expect.poll(() => countReaders(session)).toBe(3);
    model.say(1);
    const first = await one.until('text-delta');
    expect(joinStory(first)).toEqual(['1.1: Hel']); // while the model still streams
    model.say();
    const own = await readAllEvents(await asking);
    expect(joinStory(own)).toEqual([...TURN_STORY, 'answer']);
    expect(joinStory([...start, ...first, ...(await one.until('turn-ended'))])).toEqual(TURN_STORY);
    expect(joinStory(await two.until('turn-ended'))).toEqual(TURN_STORY);
    expect(joinStory(await ofTurn.until('answer'))).toEqual([...TURN_STORY, 'answer']);
    for (const reader of [one, two]) await reader.leave();
  });

  it('reaches followers of the session and a client that resends the message if its turn runs in the background', async () => {
    const model = createSpeaking(['Hel', 'lo, ', 'you.']);
    const session = await beginSession(model);
    const reader = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => countReaders(session)).toBe(1);
    const body = { message: model.message };
    const key = { 'idempotency-key': 'k' };
    const accepted = await post(session, body, { headers: { ...key, prefer: 'respond-async' } });
    expect(accepted.status).toBe(202);
    await model.asked();
    const joined = post(session, body, { headers: { ...key, ...SSE_HEADERS } });
    await expect.poll(() => countReaders(session)).toBe(2);
    model.say();
    expect(joinStory(await reader.until('turn-ended'))).toEqual(TURN_STORY);
    expect(joinStory(await readAllEvents(await joined))).toEqual([...TURN_STORY, 'answer']);
    await reader.leave();
  });

  it('restarts, and reports that, if the turn’s invocation is gone', async () => {
    const model = createSpeaking(['Hel', 'never'], ['Hello, ', 'you.']);
    const session = await beginSession(model, createManualSession());
    const reader = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => countReaders(session)).toBe(1);
    const refuse = () =>
      Promise.reject(Object.assign(new Error('this invocation is cut off'), { overloaded: true }));
    const sessions = { SESSIONS: wrapObjects(() => ({ append: refuse, renew: refuse })) };
    const via = createTestApp({ use: [liveText()] }, sessions);
    const asking = post(session, { message: model.message }, { headers: SSE_HEADERS, via });
    await model.asked();
    model.say(1);
    const before = await reader.until('text-delta');
    expect(joinStory(before)).toEqual(['turn-started', '1.1: Hel']);
    advanceTime(LONG_LEASE_MS);
    await advanceClock(session, LONG_LEASE_MS);
    await model.asked(2);
    model.say();
    const rest = ['turn-resumed', 'restarted 1.2', '1.2: Hello, you.', 'model-replied', 'turn-ended'];
    expect(joinStory(await reader.until('turn-ended'))).toEqual(rest);
    expect(joinStory(await readAllEvents(await asking))).toEqual([
      'turn-started',
      '1.1: Hel',
      ...rest,
      'answer',
    ]);
    await reader.leave();
  });

  it('does not wait for slow readers, and reaches them later', async () => {
    const pieces = Array.from({ length: 30 }, () => 'x'.repeat(20_000));
    const model = createSpeaking(pieces);
    const session = await beginSession(model);
    const slow = await send(`${session}/events?after=4`, { headers: SSE_HEADERS });
    const good = await followEvents(`${session}/events?after=4`);
    await expect.poll(() => countReaders(session)).toBe(2);
    const asking = post(session, { message: model.message });
    const read: SentEvent[] = [];
    for (const _ of pieces) {
      await model.asked();
      model.say(1);
      read.push(...(await good.until('text-delta')));
    }
    expect(await readJson(await asking)).toMatchObject({ outcome: 'completed' });
    const events = readSentEvents(slow);
    const late = await readUntil(events, 'turn-ended');
    const sumTextLength = (sent: readonly SentEvent[]): number =>
      sent.reduce((sum, { event, data }) => sum + (event === 'text-delta' ? String(data.text).length : 0), 0);
    expect([sumTextLength(read), sumTextLength(late)]).toEqual([600_000, 600_000]);
    const journaled = late.filter(({ id }) => id !== undefined).map(({ event }) => event);
    expect(journaled).toEqual(['turn-started', 'model-replied', 'turn-ended']);
    await events.return(undefined);
    await good.leave();
  });

  it('is complete for a client that joins in the middle of a reply of a background turn', async () => {
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
    expect(joinStory(before)).toEqual(['turn-started', '1.1: Hello, ']); // as soon as the holder's line is open
    model.say();
    expect(joinStory([...before, ...(await reader.until('answer'))])).toEqual([...TURN_STORY, 'answer']);
  });

  it('has no cost without readers, because there is no line', async () => {
    const model = createSpeaking(['Hello, ', 'you.']);
    const session = await beginSession(model);
    const asking = post(session, { message: model.message });
    await model.asked();
    expect(await countLines(session)).toEqual({ holder: 0, reader: 0, live: 0 });
    model.say();
    expect(await readJson(await asking)).toMatchObject({ text: 'Hello, you.' });
  });

  it('is not sent to clients that wait only for the answer', async () => {
    const model = createSpeaking(['Hello, ', 'you.']);
    const session = await beginSession(model);
    const body = { message: model.message };
    const key = { 'idempotency-key': 'k' };
    const asking = post(session, body, { headers: key });
    await model.asked();
    const joined = post(session, body, { headers: key });
    await expect.poll(async () => (await countLines(session)).reader).toBe(1);
    expect(await countReaders(session)).toBe(0);
    model.say();
    expect([await readJson(await asking), await readJson(await joined)]).toMatchObject([
      { text: 'Hello, you.' },
      { text: 'Hello, you.' },
    ]);
  });
});
