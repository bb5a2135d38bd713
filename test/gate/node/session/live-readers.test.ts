/** Tests the live items that readers of a session receive between events while another invocation runs the turn. */
import { describe, expect, it } from 'vitest';
import { defineTool, Secrets } from '../../../../src/index.ts';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { type LiveMessage, MAX_BUFFER_WEIGHT, MAX_LIVE_LENGTH } from '../../../doors/journal.ts';
import { type FeedItem, followItems, followSession, LIVE_TEXT_PARTS } from '../../../doors/session.ts';
import { LEASE_MS, withoutPings } from './former-holder.ts';
import { createLiveApp, listSentTexts, type Reader, type SpokenPart, toStory } from './live-readers.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

/** `Hello.`, with 20 ms before each letter. */
const HELLO_PARTS: SpokenPart = [...'Hello.'].map((letter) => [20, letter]);

const BEGIN_EVENTS = ['turn-started'];

/** Changes how a session's holder sends live messages. */
const changeShow =
  (change: (show: (message: LiveMessage) => boolean) => (message: LiveMessage) => boolean) =>
  (port: SessionPort): SessionPort => ({
    ...port,
    async watch(watcher) {
      const line = await port.watch(watcher);
      return watcher.holder === undefined ? line : { ...line, show: change(line.show) };
    },
  });

describe('readers of a session', () => {
  it('all receive text as it arrives, joined every 50 ms, and so does the client of the running invocation', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS] });
    const readers = [await app.read(), await app.read()];
    const own: FeedItem[] = [];
    const { end } = await app.begin({ show: (item) => void own.push(item) });
    await app.clock.advance(100);
    const half = readers[0]?.story();
    await app.clock.advance(1_000);
    expect(await end).toMatchObject({ turn: { text: 'Hello.' } });
    expect(half).toEqual([...BEGIN_EVENTS, '1.1: Hel']);
    const told = [...BEGIN_EVENTS, '1.1: Hello.', 'model-replied', 'turn-ended'];
    expect(toStory(own)).toEqual(told);
    for (const reader of readers) expect(reader.story()).toEqual(told);
    // The first letter arrives after 20 ms. The rest is sent before the reply is stored.
    expect(listSentTexts(app)).toEqual([
      [70, 'Hel'],
      [120, 'lo.'],
    ]);
  });

  it('cause no messages and no connection if the session has no readers', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS] });
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    expect(await end).toMatchObject({ turn: { text: 'Hello.' } });
    expect([app.sent, app.lines]).toEqual([[], []]);
  });

  it('cause no messages if they only wait for the end of a turn', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS] });
    await app.port.watch({ onNotice: () => {}, onClosed: () => {} });
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    await end;
    expect(app.sent).toEqual([]);
  });

  it('cause no messages if the invocation streams only to its own client', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS] });
    const { end } = await app.begin({ show: () => {} });
    await app.clock.advance(1_000);
    await end;
    expect([app.streamed, app.sent, app.lines]).toEqual([[true], [], []]);
  });

  it('see only events if the app lacks the module, and the model does not stream for them', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS, HELLO_PARTS] });
    const reader = await app.read();
    const { end } = await app.begin({ liveText: undefined });
    await app.clock.advance(1_000);
    await end;
    expect(reader.story()).toEqual([...BEGIN_EVENTS, 'model-replied', 'turn-ended']);
    const own: FeedItem[] = [];
    const shown = await app.begin({ liveText: undefined, show: (item) => void own.push(item) });
    await app.clock.advance(1_000);
    await shown.end;
    expect(toStory(own)).toEqual([...BEGIN_EVENTS, '1.1: Hello.', 'model-replied', 'turn-ended']);
    expect([app.streamed, app.sent]).toEqual([[false, true], []]);
  });

  it('see only events in a Worker without the module, even if the invocation that runs the turn has it', async () => {
    const app = await createLiveApp({ speaks: [HELLO_PARTS] });
    const items: FeedItem[] = [];
    const leave = new AbortController();
    const following = followSession(
      { port: app.port, clock: app.clock, from: 5, signal: leave.signal },
      (item) => void items.push(item),
    );
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    await end;
    leave.abort();
    await following;
    expect(toStory(items)).toEqual([...BEGIN_EVENTS, 'model-replied', 'turn-ended']);
    expect([app.lines, app.sent]).toEqual([['reader'], []]);
  });

  it('see a reply from its beginning, in one piece, if they join in the middle', async () => {
    const app = await createLiveApp({
      speaks: [[...'Hello, you all.'].map((letter) => [20, letter] as const)],
    });
    const first = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(75); // `Hel` has been sent.
    const second = await app.read();
    await app.clock.advance(75);
    const third = await app.read();
    await app.clock.advance(50);
    expect(listPieces(second)[0]).toEqual({
      type: 'text-delta',
      reply: '1.1',
      text: expect.stringMatching(/^Hel/),
    });
    expect(listPieces(third)[0]).toEqual({
      type: 'text-delta',
      reply: '1.1',
      text: expect.stringMatching(/^Hello/),
    });
    await app.clock.advance(1_000);
    await end;
    for (const reader of [first, second, third])
      expect(reader.story()).toEqual([
        ...BEGIN_EVENTS,
        '1.1: Hello, you all.',
        'model-replied',
        'turn-ended',
      ]);
  });

  it('receive the beginning only for themselves, and in one message if several join at once', async () => {
    const app = await createLiveApp({ speaks: [[...HELLO_PARTS, [5_000, ' You?']]] });
    const first = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(1_200);
    const before = app.sent.length;
    const others = [await app.read(), await app.read(), await app.read()];
    await app.clock.advance(100);
    expect(app.sent.slice(before).map(({ message }) => message)).toEqual([
      {
        to: expect.stringMatching(/^\S+ \S+ \S+$/),
        turn: expect.anything(),
        items: [{ item: { type: 'text-delta', reply: '1.1', text: 'Hello.' }, after: 5, at: 0 }],
      },
    ]);
    await app.clock.advance(5_000);
    await end;
    expect(listPieces(first).map(({ text }) => text)).toEqual(['Hel', 'lo.', ' You?']);
    for (const reader of others)
      expect(listPieces(reader).map(({ text }) => text)).toEqual(['Hello.', ' You?']);
  });

  it('receive no message if they join between replies', async () => {
    const rest = defineTool({
      name: 'rest',
      description: 'Rests.',
      effect: 'read',
      run: async () => {
        await new Promise<void>((resolve) => app.clock.after(3_000, resolve));
        return 'rested';
      },
    });
    const app = await createLiveApp({ speaks: [[[20, 'call rest']], HELLO_PARTS], tools: [rest] });
    const first = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(2_000);
    const before = app.sent.length;
    const second = await app.read();
    await app.clock.advance(500);
    expect(app.sent).toHaveLength(before);
    await app.clock.advance(5_000);
    await end;
    expect(second.story()).toEqual(first.story().filter((told) => told !== '1.1: call rest'));
  });

  it('see the reply of the new holder, not the interrupted one, if they join in the middle', async () => {
    const app = await createLiveApp({ speaks: [[...HELLO_PARTS.slice(0, 3), [60_000, 'lo.']], HELLO_PARTS] });
    const early = await app.read();
    const rejectUnreachable = () => Promise.reject(new Error('unreachable'));
    const cutOff = { ...app.port, ...withoutPings(app.port), renew: rejectUnreachable };
    const { turn } = await app.begin({ port: cutOff });
    await app.clock.advance(LEASE_MS);
    const between = await app.read();
    const { end } = await app.resumeRunning(turn);
    await app.clock.advance(75);
    const late = await app.read();
    await app.clock.advance(1_000);
    await end;
    const told = ['turn-resumed', 'restarted 1.2', '1.2: Hello.', 'model-replied', 'turn-ended'];
    expect(early.story()).toEqual([...BEGIN_EVENTS, '1.1: Hel', ...told]);
    for (const reader of [between, late]) expect(reader.story()).toEqual([...BEGIN_EVENTS, ...told]);
  });

  it('do not see a secret if they join in the middle of it', async () => {
    const app = await createLiveApp({
      speaks: [
        [
          [20, 'The key is zebra-'],
          [2_000, 'stripes, and'],
          [200, ' that is all.'],
        ],
      ],
    });
    const { end } = await app.begin({ secrets: () => Secrets.of({ key: 'zebra-stripes' }) });
    await app.clock.advance(1_200);
    const reader = await app.read();
    await app.clock.advance(100);
    expect(reader.story()).toEqual([...BEGIN_EVENTS, '1.1: The key is ']);
    await app.clock.advance(5_000);
    await end;
    const told = [
      ...BEGIN_EVENTS,
      '1.1: The key is [secret key], and that is all.',
      'model-replied',
      'turn-ended',
    ];
    expect(reader.story()).toEqual(told);
  });

  it('see each character once if all connections break in the middle of a reply and reopen', async () => {
    const app = await createLiveApp({
      speaks: [[...'Hello, you all.'].map((letter) => [100, letter] as const)],
    });
    const readers = [await app.read(), await app.read()];
    const { end, leased } = await app.begin();
    await app.clock.advance(470);
    app.sessions.restart(leased.name);
    await app.clock.advance(400);
    readers.push(await app.read());
    await app.clock.advance(5_000);
    await end;
    for (const reader of readers)
      expect(reader.story()).toEqual([
        ...BEGIN_EVENTS,
        '1.1: Hello, you all.',
        'model-replied',
        'turn-ended',
      ]);
  });

  it('see a whole reply if the first of them joins in the middle, even while the model is silent', async () => {
    const app = await createLiveApp({ speaks: [[...HELLO_PARTS, [5_000, ' You?']]] });
    const { end } = await app.begin();
    await app.clock.advance(1_200); // By now the holder has its connection.
    const reader = await app.read();
    await app.clock.advance(100);
    expect(reader.story()).toEqual([...BEGIN_EVENTS, '1.1: Hello.']);
    await app.clock.advance(5_000);
    await end;
    expect(reader.story()).toEqual([...BEGIN_EVENTS, '1.1: Hello. You?', 'model-replied', 'turn-ended']);
  });

  it('see a reply from its beginning if the previous readers left some time ago', async () => {
    const app = await createLiveApp({
      speaks: [[...'Hello, you all.'].map((letter) => [100, letter] as const)],
    });
    const first = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(320);
    first.leave();
    await app.clock.advance(500);
    const second = await app.read();
    await app.clock.advance(5_000);
    await end;
    expect(listPieces(first).map(({ text }) => text)).toEqual(['H', 'e']);
    expect(second.story()[1]).toBe('1.1: Hello, you all.');
  });

  it('see all of a long reply, in messages small enough for a connection', async () => {
    // JSON escapes one of these characters as six. No surrogate pair may be split.
    const said = Array.from({ length: 200 }, () => '\u0001\u{1f600}'.repeat(1_000));
    const long = said.join('');
    const app = await createLiveApp({
      speaks: [[...said.map((text) => [1, text] as const), [3_000, 'end']]],
    });
    const { end } = await app.begin();
    await app.clock.advance(1_500);
    const reader = await app.read();
    await app.clock.advance(5_000);
    await end;
    const pieces = listPieces(reader).map(({ text }) => text);
    expect(pieces.join('') === `${long}end`).toBe(true);
    expect(pieces.every((text) => text.isWellFormed())).toBe(true);
    const lengths = app.sent.map(({ message }) => JSON.stringify(message).length);
    expect(Math.max(...lengths)).toBeLessThan(MAX_LIVE_LENGTH);
  });

  it('see only the beginning of a reply that is longer than the buffer', async () => {
    const words = Array.from({ length: 120 }, () => [5, 'x'.repeat(10_000)] as const);
    const app = await createLiveApp({ speaks: [[...words, [3_000, 'end']], [[20, 'Next.']]] });
    const first = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(2_000);
    const second = await app.read();
    await app.clock.advance(5_000);
    expect(await end).toMatchObject({ turn: { outcome: 'completed' } });
    for (const reader of [first, second])
      expect(listPieces(reader).reduce((sum, { text }) => sum + text.length, 0)).toBe(1_040_000);
  });

  it('do not delay 400,000 pieces of model output that arrive while an append is pending', async () => {
    const letters = Array.from({ length: 400_000 }, () => [0, 'x'] as const);
    const app = await createLiveApp({ speaks: [[[20, 'call look']], letters], tools: [look] });
    const shown: string[] = [];
    const { end } = await app.begin({
      show: (item) => void (item.type === 'text-delta' && item.reply === '2.1' && shown.push(item.text)),
    });
    await app.clock.advance(1_000);
    expect(await end).toMatchObject({ turn: { outcome: 'completed' } });
    expect(shown).toHaveLength(400_000);
  });

  it('receive at most one more message after the last reader has left', async () => {
    const app = await createLiveApp({
      speaks: [[...'Hello, you all.'].map((letter) => [100, letter] as const)],
    });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(320);
    expect(app.sent).toHaveLength(2);
    reader.leave();
    await app.clock.advance(5_000);
    await end;
    expect(app.sent).toHaveLength(3);
  });

  it('see a reply restart if its holder was lost', async () => {
    const app = await createLiveApp({ speaks: [[...HELLO_PARTS.slice(0, 3), [60_000, 'lo.']], HELLO_PARTS] });
    const reader = await app.read();
    const rejectUnreachable = () => Promise.reject(new Error('unreachable'));
    const cutOff = { ...app.port, ...withoutPings(app.port), renew: rejectUnreachable };
    const { turn } = await app.begin({ port: cutOff });
    await app.clock.advance(LEASE_MS);
    expect(reader.story()).toEqual([...BEGIN_EVENTS, '1.1: Hel']);
    const { end } = await app.resumeRunning(turn);
    await app.clock.advance(1_000);
    await end;
    expect(reader.story()).toEqual([
      ...BEGIN_EVENTS,
      '1.1: Hel',
      'turn-resumed',
      'restarted 1.2',
      '1.2: Hello.',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('see no live message of a reply after the reply is stored, even if the message arrives late', async () => {
    const late: (() => boolean)[] = [];
    const app = await createLiveApp({
      speaks: [[[20, 'call look']], HELLO_PARTS],
      tools: [look],
      wrap: changeShow((show) => (message) => {
        if (late.length > 0) return show(message);
        late.push(() => show(message));
        return true;
      }),
    });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(60);
    expect(late.map((send) => send())).toEqual([true]);
    await app.clock.advance(1_000);
    await end;
    expect(reader.story().slice(1)).toEqual([
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      '2.1: Hello.',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('see only the text before a lost message, without duplicates, and the whole of the next reply', async () => {
    let count = 0;
    const app = await createLiveApp({
      speaks: [[[20, 'call look '], ...HELLO_PARTS.map(([, letter]) => [60, letter] as const)], HELLO_PARTS],
      tools: [look],
      wrap: changeShow((show) => (message) => {
        count += 1;
        if (count === 3) return true; // This message is lost.
        return show(message) && show(message);
      }),
    });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(2_000);
    await end;
    expect(reader.story().slice(1)).toEqual([
      '1.1: call look H',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      '2.1: Hello.',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('see all text even if it arrives faster than it can be sent', async () => {
    const app = await createLiveApp({
      speaks: [[...Array.from({ length: 200 }, () => [1, 'x'.repeat(1_000)] as const), [10, 'end']]],
      wrap: changeShow((show) => (message) => app.clock.now() > 1_000_190 && show(message)),
    });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(2_000);
    expect(await end).toMatchObject({ turn: { outcome: 'completed' } });
    const shown = listPieces(reader).map(({ text }) => text);
    expect(shown.join('')).toBe(`${'x'.repeat(200_000)}end`);
  });

  it('see the beginning of a reply, and then all events, if they are too slow', async () => {
    const app = await createLiveApp({
      speaks: [Array.from({ length: 200 }, () => [60, 'x'.repeat(10_000)] as const), HELLO_PARTS],
    });
    const { signal } = new AbortController();
    const items = followItems({ ...LIVE_TEXT_PARTS, port: app.port, clock: app.clock, from: 5, signal });
    const first = items.next(); // The reader requests no more items.
    await app.clock.advance(0);
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    expect(await first).toMatchObject({ value: { type: 'turn-started' } });
    const second = items.next();
    await app.clock.advance(60_000);
    await end;
    const taken = [await first, await second];
    while (taken.length < 300 && !isEnd(taken.at(-1))) taken.push(await items.next());
    await items.return('left');
    const texts = taken.flatMap(({ value }) =>
      typeof value === 'object' && value.type === 'text-delta' ? [value.text] : [],
    );
    expect(texts.join('')).toMatch(/^x+$/);
    expect(texts.join('').length).toBeLessThan(MAX_BUFFER_WEIGHT);
    const types = taken.flatMap(({ value }) =>
      typeof value === 'object' && 'seq' in value ? [value.type] : [],
    );
    expect(types).toEqual(['turn-started', 'model-replied', 'turn-ended']);
  });

  it('see the progress of a tool while it runs, but not later', async () => {
    const dig = defineTool({
      name: 'dig',
      description: 'Digs.',
      effect: 'read',
      run: async (_, call) => {
        call.progress('deep');
        await new Promise<void>((resolve) => app.clock.after(200, resolve));
        call.progress('deeper');
        return 'gold';
      },
    });
    const app = await createLiveApp({ speaks: [[[20, 'call dig']], [[20, 'Done.']]], tools: [dig] });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    await end;
    expect(reader.story().slice(1)).toEqual([
      '1.1: call dig',
      'model-replied',
      'tool-call-started',
      'progress deep',
      'progress deeper',
      'tool-call-ended',
      '2.1: Done.',
      'model-replied',
      'turn-ended',
    ]);
  });

  it('see only events from an older object, and cause no messages to it', async () => {
    const app = await createLiveApp({
      speaks: [HELLO_PARTS],
      wrap: (port) => ({
        ...port,
        append: async (...sent) => withoutLive(await port.append(...sent)),
        renew: async (...sent) => withoutLive(await port.renew(...sent)),
        begin: async (...sent) => withoutLive(await port.begin(...sent)),
        watch: ({ onNotice, onLive: _, ...watcher }) =>
          port.watch({ ...watcher, onNotice: (notice) => onNotice(withoutLive(notice)) }),
      }),
    });
    const reader = await app.read();
    const { end } = await app.begin();
    await app.clock.advance(1_000);
    await end;
    expect(reader.story()).toEqual([...BEGIN_EVENTS, 'model-replied', 'turn-ended']);
    expect(app.sent).toEqual([]);
  });
});

const listPieces = ({ items }: Reader) => items.flatMap((item) => (item.type === 'text-delta' ? [item] : []));

const isEnd = (next: IteratorResult<unknown, unknown> | undefined): boolean =>
  (next?.value as { readonly type?: unknown } | undefined)?.type === 'turn-ended'; // Other items have no such type.

/** Removes `live` from a response, as an older object would. */
function withoutLive<Answer extends object>(answer: Answer): Answer {
  const { live: _, ...rest } = answer as Answer & { readonly live?: unknown };
  return rest as Answer; // without its property `live`
}
