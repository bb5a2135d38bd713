/** A conversation that no longer fits its model is shortened, and continues. */

import { describe, expect, it } from 'vitest';
import {
  type AgentConfig,
  type AnyTool,
  defineAgent,
  defineTool,
  ModelError,
  readResult,
} from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import { defineAgenticTool, defineSubagent } from '../../../../src/kinds/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { oneShotPerLoop } from '../../../../src/modules/decorators/entry.ts';
import { inspect } from '../../../../src/modules/inspect/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { parseSnapshot, toSnapshot } from '../../../doors/journal.ts';
import { BUILT_IN_KINDS } from '../../../doors/kinds.ts';
import { foldLeased } from '../../../doors/session.ts';
import { createSmallWindow, type SmallWindow, type WireMessage } from '../../../fixtures/small-window.ts';
import { withoutPlace } from '../../../fixtures/stored.ts';
import { getReservation } from '../tool-loop/budget-scene.ts';
import { withLiveState } from './live-state.ts';
import { createMemoryApp } from './memory-app.ts';

const WINDOW_TOKENS = 8_000;
const TEN_WORDS = 'I am Ann, and I keep the books of Kelp.';
const REMOVAL_NOTE = 'Earlier messages are not shown any more, since the conversation had become too long.';
/** Forty thousand characters of English, which are more tokens than the window has. */
const LONG_TEXT = 'The kelp of the north is sold by the crate. '.repeat(910).slice(0, 40_000);

const createReadingTool = (name: string, answer: (calls: number) => string = () => LONG_TEXT): AnyTool => {
  let calls = 0;
  return defineTool({
    name,
    description: 'Reads.',
    effect: 'read',
    run: () => {
      calls += 1;
      return answer(calls);
    },
  });
};

const createClerk = (
  tools: readonly AnyTool[],
  more: Partial<Omit<AgentConfig<'clerk'>, 'name' | 'output'>> = {},
) =>
  defineAgent({
    name: 'clerk',
    description: 'Keeps books.',
    instructions: 'You keep books.',
    tools,
    ...more,
  });

type ShorteningEvent = Extract<SessionEvent, { type: 'conversation-cut' }>;

const readShortenings = async (session: Pick<TestSession, 'events'>): Promise<ShorteningEvent[]> =>
  (await session.events()).flatMap((event) =>
    event.type === 'conversation-cut' && !event.summary ? [withoutPlace(event)] : [],
  );

/** The texts of messages to a model, or `null` for calls without text. */
const getContents = (messages: readonly WireMessage[] = []): (string | null)[] =>
  messages.map(({ content }) => content);

/** The shortened result that the model sees if this many characters fit. */
const formatShortened = (text: string, characters: number): string =>
  `${text.slice(0, characters)}\n... [shortened: ${characters} of ${text.length} characters are shown]`;

const getLast = <T>(list: readonly T[]): T | undefined => list.at(-1);

describe.each([
  ['without compaction', []],
  [
    'with compaction',
    [
      summarize({
        overTokens: 4_000,
        keepTurns: 2,
        summarize: () => 'Ann keeps the books; she was read about kelp.',
      }),
    ],
  ],
])('a result that does not fit in the context window, %s', (_, use) => {
  const createScene = () => {
    const small = createSmallWindow(WINDOW_TOKENS, [
      'Hello, Ann.',
      ['read'],
      'It is sold by the crate.',
      'You are Ann.',
    ]);
    const session = createTestSession(createClerk([createReadingTool('read')], { use }), {
      model: small.model,
    });
    return { small, session };
  };

  it.each(['warm', 'cold'])(
    'is shortened, the previous turns are removed, and the session continues %s',
    async (how) => {
      const { small, session } = createScene();
      const restartIfCold = (): void => {
        if (how === 'cold') session.restart();
      };
      await session.send(TEN_WORDS);
      restartIfCold();
      expect(await session.send('How is kelp sold?')).toMatchObject({
        outcome: 'completed',
        text: 'It is sold by the crate.',
        iterations: 2,
      });
      expect(small.refused).toEqual([expect.any(Number)]);
      const [event] = await readShortenings(session);
      expect(event).toEqual({
        type: 'conversation-cut',
        turn: expect.any(String),
        turns: 1,
        results: expect.any(Number),
      });
      const { results: characters = 0 } = event ?? {};
      // At most three quarters of the window, because the reply needs room too.
      expect(characters).toBeGreaterThan(0.65 * 4 * WINDOW_TOKENS);
      expect(characters).toBeLessThan(0.75 * 4 * WINDOW_TOKENS);
      expect(getContents(getLast(small.answered))).toEqual([
        'You keep books.',
        REMOVAL_NOTE,
        'How is kelp sold?',
        null,
        formatShortened(LONG_TEXT, characters),
      ]);

      restartIfCold();
      expect(await session.send('Who am I?')).toMatchObject({ outcome: 'completed', text: 'You are Ann.' });
      expect(small.refused).toHaveLength(1);
      expect(getContents(getLast(small.answered))).toEqual([
        'You keep books.',
        REMOVAL_NOTE,
        'How is kelp sold?',
        null,
        formatShortened(LONG_TEXT, characters),
        'It is sold by the crate.',
        'Who am I?',
      ]);
      // The journal contains the whole result, and readers of the session see it.
      const events = await session.events();
      expect(events.flatMap(({ type }) => (type === 'turn-started' ? [type] : []))).toHaveLength(3);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'tool-call-ended',
          result: { type: 'text', content: LONG_TEXT },
        }),
      );
    },
  );

  it('includes a call that reads the rest of it from the position of the cut', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['read'], 'It is sold by the crate.']);
    const session = createTestSession(createClerk([createReadingTool('read'), readResult()], { use }), {
      model: small.model,
    });
    expect(await session.send('How is kelp sold?')).toMatchObject({ outcome: 'completed' });
    const [{ results: characters = 0 } = {}] = await readShortenings(session);
    const shown = getLast(getContents(getLast(small.answered))) ?? '';
    expect(shown.slice(characters)).toMatch(
      new RegExp(
        `^\\n\\.\\.\\. \\[shortened: ${characters} of 40000 characters are shown; ` +
          `read on with read_result\\(\\{"result":"[^"]+","from":${characters}\\}\\)\\]$`,
      ),
    );
  });

  it('is still shown shortened if the invocation is killed between the cut and the next request', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [
      'Hello, Ann.',
      ['read'],
      'Lost.',
      'It is sold by the crate.',
    ]);
    let killed = 0;
    const model = {
      ...small.model,
      ask: async (...asked: Parameters<typeof small.model.ask>) => {
        if (small.refused.length === 1 && killed === 0) {
          killed += 1;
          while ((await readShortenings(session)).length === 0)
            await new Promise((resolve) => setTimeout(resolve, 1));
          session.kill();
        }
        return small.model.ask(...asked);
      },
    };
    const session = createTestSession(createClerk([createReadingTool('read')], { use }), { model });
    await session.send(TEN_WORDS);
    expect(await session.send('How is kelp sold?')).toMatchObject({
      outcome: 'completed',
      text: 'It is sold by the crate.',
    });
    expect(small.refused).toHaveLength(1);
    expect(await readShortenings(session)).toHaveLength(1);
    const [lost, shown] = small.answered.slice(-2);
    expect(shown).toEqual(lost);
    expect(shown?.[1]?.content).toBe(REMOVAL_NOTE);
  });
});

describe('a session whose conversation was shortened', () => {
  it('is the same warm, cold and from its snapshot, and starts with the first message that is shown', async () => {
    const { model } = createSmallWindow(WINDOW_TOKENS, ['Hello, Ann.', ['read'], 'By the crate.', 'Ann.']);
    const app = createMemoryApp({ replies: [], tools: [createReadingTool('read')] });
    const { agent, live } = withLiveState({ ...app.agent, model });
    const host = { agent };
    await app.say(TEN_WORDS, host);
    const end = await app.say('How is kelp sold?', host);
    expect(end).toMatchObject({ status: 'ended', turn: { outcome: 'completed' } });
    const state = await app.state();
    expect(live()).toEqual(state);
    expect(state.starts).toHaveLength(1);
    expect(state.cut).toEqual({ text: REMOVAL_NOTE, from: state.starts[0] });
    expect(parseSnapshot(toSnapshot(state))).toEqual({ ...state, messages: state.messages.slice(0, 1) });

    const leased = await app.lease('Who am I?');
    expect(leased.snapshot?.messagesFrom).toBe(state.starts[0]);
    await app.run(leased, host);
    expect(live()).toEqual(await app.state());
    expect((await app.state()).messages.map(({ text }) => text)).toEqual([
      REMOVAL_NOTE,
      'How is kelp sold?',
      '',
      'By the crate.',
      'Who am I?',
      'Ann.',
    ]);
  });

  it('is the same from its snapshot if a summary now precedes the removed messages', async () => {
    const repeatWord = (word: string, count: number): string => `${word} `.repeat(count);
    const refused = new ModelError('context-length', 'Too long.', { length: { sent: 1_000, most: 1_000 } });
    const app = createMemoryApp({
      replies: ['1', '2', refused, '3', '4'],
      use: [summarize({ overTokens: 2_500, keepTurns: 1, summarize: () => 'They counted.' })],
    });
    await app.say(repeatWord('one', 1_000));
    await app.say(repeatWord('two', 500));
    // The first turn is removed. The next turn summarizes the second one.
    await app.say(repeatWord('three', 500));
    await app.say(repeatWord('four', 2_000));
    const { messages } = await app.state();
    const leased = await app.lease('five');
    const { state } = await foldLeased(app.port, leased, { memories: BUILT_IN_KINDS.memories });
    expect(leased.snapshot).toBeDefined();
    expect(messages[0]?.text).toBe(
      'Summary of the conversation so far, whose messages are not shown any more:\n\nThey counted.',
    );
    expect(state.messages).toEqual([...messages, { role: 'user', text: 'five' }]);
  });

  it('keeps the summary of the earlier messages and the turns that fit', async () => {
    const repeatWord = (word: string, tokens: number): string =>
      `${word} `.repeat(tokens).slice(0, 4 * tokens);
    const turns = [
      repeatWord('one', 2_500),
      repeatWord('two', 1_500),
      repeatWord('three', 2_500),
      repeatWord('four', 500),
    ];
    const small = createSmallWindow(WINDOW_TOKENS, ['1', '2', '3', '4', ['read'], '5']);
    const compaction = summarize({ overTokens: 5_500, keepTurns: 1, summarize: () => 'They counted.' });
    const session = createTestSession(
      createClerk([createReadingTool('read', () => LONG_TEXT.slice(0, 20_800))], { use: [compaction] }),
      {
        model: small.model,
      },
    );
    for (const message of [...turns, 'five']) await session.send(message);
    // 'two', 'three' and 'four' follow the summary of 'one'. Turns that do not fit are removed, even those to
    // keep.
    expect(await readShortenings(session)).toMatchObject([{ turns: 2 }]);
    expect(getContents(getLast(small.answered))).toEqual([
      'You keep books.',
      `Summary of the conversation so far, whose messages are not shown any more:\n\nThey counted.\n\n${REMOVAL_NOTE}`,
      turns[3],
      '4',
      'five',
      null,
      LONG_TEXT.slice(0, 20_800),
    ]);
  });

  it('drops its summary too if the summary alone is too long for the current model', async () => {
    const summary = LONG_TEXT.slice(0, 36_000);
    const compaction = summarize({ overTokens: 9_500, keepTurns: 0, summarize: () => summary });
    const larger = createSmallWindow(50_000, ['1', '2']);
    const smaller = createSmallWindow(WINDOW_TOKENS, ['3', '4']);
    const models = { now: larger.model };
    const model = {
      name: 'either',
      ask: (...asked: Parameters<typeof larger.model.ask>) => models.now.ask(...asked),
    };
    const session = createTestSession(createClerk([], { use: [compaction] }), { model });
    await session.send(LONG_TEXT);
    await session.send('two');
    expect(getContents(getLast(larger.answered))[1]).toContain(summary);
    models.now = smaller.model;
    expect(await session.send('three')).toMatchObject({ outcome: 'completed', text: '3' });
    expect(await readShortenings(session)).toMatchObject([{ turns: 1, summary: '' }]);
    session.restart();
    expect(await session.send('four')).toMatchObject({ outcome: 'completed', text: '4' });
    expect(smaller.refused).toHaveLength(1);
    expect(getContents(getLast(smaller.answered))).toEqual([
      'You keep books.',
      REMOVAL_NOTE,
      'three',
      '3',
      'four',
    ]);
  });

  it('is shortened again after it has grown, and each cut is journaled once', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['read'], 'One.', ['read'], 'Two.', ['read'], 'Three.']);
    const session = createTestSession(createClerk([createReadingTool('read')]), { model: small.model });
    for (const message of ['Read.', 'Again.', 'And again.']) {
      expect(await session.send(message)).toMatchObject({ outcome: 'completed' });
    }
    // No turn precedes the first one.
    expect(await readShortenings(session)).toMatchObject([
      { results: expect.any(Number) },
      { turns: 1, results: expect.any(Number) },
      { turns: 1, results: expect.any(Number) },
    ]);
    expect(
      getLast(small.answered)
        ?.slice(1, 3)
        .map(({ content }) => content),
    ).toEqual([REMOVAL_NOTE, 'And again.']);
  });
});

describe('the results of one turn that do not fit', () => {
  it('are shortened, longest first, and later results are shown in full', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['note', 'read'], ['note'], 'Done.']);
    const notes = createReadingTool('note', (calls) => `Note ${calls}: ${'kelp '.repeat(200)}`);
    const session = createTestSession(createClerk([notes, createReadingTool('read')]), {
      model: small.model,
    });
    await session.send('Go.');
    const [{ results: characters = 0 } = {}] = await readShortenings(session);
    const results = getLast(small.answered)?.flatMap(({ role, content }) =>
      role === 'tool' ? [content] : [],
    );
    expect(results).toEqual([
      `Note 1: ${'kelp '.repeat(200)}`,
      formatShortened(LONG_TEXT, characters),
      `Note 2: ${'kelp '.repeat(200)}`,
    ]);
  });

  it('are shortened to a third of the request if the limit is unknown', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['read'], 'Done.'], { silent: true });
    const session = createTestSession(createClerk([createReadingTool('read')]), { model: small.model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const [{ results: characters = 0 } = {}] = await readShortenings(session);
    expect(characters).toBeGreaterThan(12_000);
    expect(characters).toBeLessThan(13_400);
  });

  it('are returned in full as the answer if their tool returns directly', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['read'], ['tell']]);
    const tell = defineTool({
      name: 'tell',
      description: 'Tells.',
      returnDirect: true,
      run: () => LONG_TEXT,
    });
    const session = createTestSession(createClerk([createReadingTool('read'), tell]), { model: small.model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'returned-direct', text: LONG_TEXT });
  });

  it('clear the memo of a one-shot tool if they are shortened, and keep it otherwise', async () => {
    const loaded: string[] = [];
    const createSkill = (name: string, body: string): AnyTool =>
      oneShotPerLoop(
        createReadingTool(name, () => {
          loaded.push(name);
          return body;
        }),
        'Work now.',
      );
    const small = createSmallWindow(WINDOW_TOKENS, [
      ['brief', 'long'],
      ['brief', 'long'],
      (sent) =>
        sent.flatMap(({ role, content }) => (role === 'tool' ? [content?.slice(0, 14)] : [])).join(' | '),
    ]);
    const session = createTestSession(
      createClerk([createSkill('brief', 'Count twice.'), createSkill('long', LONG_TEXT)]),
      {
        model: small.model,
      },
    );
    const { text } = await session.send('Go.');
    expect(loaded).toEqual(['brief', 'long', 'long']);
    expect(text).toBe('Count twice. | The kelp of th | ALREADY LOADED | The kelp of th');
  });
});

describe('a nested loop', () => {
  const nested: [string, (tools: readonly AnyTool[]) => AnyTool][] = [
    [
      'of an agentic tool',
      (tools) => defineAgenticTool({ name: 'dig', description: 'Digs.', instructions: 'You dig.', tools }),
    ],
    [
      'of a subagent',
      (tools) =>
        defineSubagent({
          name: 'dig',
          description: 'Digs.',
          agent: defineAgent({ name: 'digger', description: 'Digs.', instructions: 'You dig.', tools }),
        }),
    ],
  ];
  it.each(nested)('%s shortens its own results, and the turn continues', async (_, toTool) => {
    const small = createSmallWindow(WINDOW_TOKENS, [
      'Hello, Ann.',
      ['dig'],
      ['read'],
      'By the crate.',
      'Told.',
      'Ann.',
    ]);
    const session = createTestSession(createClerk([toTool([createReadingTool('read')])]), {
      model: small.model,
    });
    await session.send(TEN_WORDS);
    expect(await session.send('How is kelp sold?')).toMatchObject({ outcome: 'completed', text: 'Told.' });
    session.restart();
    expect(await session.send('Who am I?')).toMatchObject({ outcome: 'completed', text: 'Ann.' });
    expect(small.refused).toHaveLength(1);
    const call = (await session.events()).flatMap((event) =>
      event.type === 'frame-started' ? [event.frame] : [],
    );
    const [event] = await readShortenings(session);
    expect(event).toEqual({
      type: 'conversation-cut',
      turn: expect.any(String),
      frame: call[0],
      results: expect.any(Number),
    });
    expect(getContents(small.answered[3])).toContain(formatShortened(LONG_TEXT, event?.results ?? 0));
    // The outer turn still shows its messages in full.
    expect(getContents(getLast(small.answered))).toContain(TEN_WORDS);
  });
});

describe('a request that cannot be shortened enough', () => {
  const sendForOutcome = async (session: TestSession, message: string) => {
    const { outcome, error } = (await session.send(message)) as { outcome: string; error?: unknown };
    return { outcome, error };
  };
  const describeRefusal = (tokens: number): string =>
    "The model's server answered 400: This model's maximum context length is 8000 tokens. However, your messages resulted " +
    `in ${tokens} tokens. Please reduce the length of the messages.`;

  it('ends its turn with the reason, and the next turn continues without it', async () => {
    const alone = createSmallWindow(WINDOW_TOKENS, []);
    const first = createTestSession(createClerk([]), { model: alone.model });
    expect(await sendForOutcome(first, LONG_TEXT)).toEqual({
      outcome: 'failed',
      error: {
        type: 'model-failure',
        message:
          "The conversation is too long for the model 'small', and cannot be shortened further. Shorten the message, " +
          `the instructions or the tools, or use a model with a longer context. ${describeRefusal(alone.refused[0] ?? 0)}`,
      },
    });
    expect(alone.refused).toHaveLength(1);
    expect(await readShortenings(first)).toEqual([]);

    const small = createSmallWindow(WINDOW_TOKENS, ['Hello, Ann.', 'Better.']);
    const session = createTestSession(createClerk([]), { model: small.model });
    await session.send(TEN_WORDS);
    expect(await sendForOutcome(session, LONG_TEXT)).toEqual({
      outcome: 'failed',
      error: {
        type: 'model-failure',
        message:
          "The conversation is too long for the model 'small', even after it was shortened. Shorten the message, the " +
          `instructions or the tools, or use a model with a longer context. ${describeRefusal(small.refused[1] ?? 0)}`,
      },
    });
    expect(small.refused).toHaveLength(2);
    expect(await session.send('Shorter.')).toMatchObject({ outcome: 'completed', text: 'Better.' });
    expect(getContents(getLast(small.answered))).toEqual(['You keep books.', REMOVAL_NOTE, 'Shorter.']);
  });

  it('becomes the error result of its call in a nested loop', async () => {
    const small = createSmallWindow(WINDOW_TOKENS, [['dig'], 'It could not.']);
    const instructions = LONG_TEXT;
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      instructions,
      tools: [createReadingTool('read')],
    });
    const session = createTestSession(createClerk([dig]), { model: small.model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'It could not.' });
    expect(getLast(getContents(getLast(small.answered)))).toBe(
      "Error: The conversation is too long for the model 'small', and cannot be shortened further. Shorten the " +
        `message, the instructions or the tools, or use a model with a longer context. ${describeRefusal(small.refused[0] ?? 0)}`,
    );
  });
});

describe('a token limit', () => {
  it('releases the tokens that it reserved for a refused request', async () => {
    const small: SmallWindow = createSmallWindow(WINDOW_TOKENS, [['read'], 'Done.']);
    // Enough for the two answered requests, but not if the refused one also counted.
    const agent = createClerk([createReadingTool('read')], { use: [budget({ tokens: 60_000 })] });
    const session = createTestSession(agent, { model: small.model, warm: true });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    const types = (await session.events()).map(({ type }) => type);
    expect(types).toEqual([
      'session-opened',
      'turn-started',
      'module-event',
      'model-replied',
      'tool-call-started',
      'tool-call-ended',
      'module-event',
      'conversation-cut',
      'module-event',
      'model-replied',
      'turn-ended',
    ]);
    const usages = (await session.events()).flatMap((event) =>
      event.type === 'model-replied' && event.usage ? [event.usage] : [],
    );
    const used = usages.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
    const asked = (await session.events()).flatMap((event) => getReservation(event)?.reserved ?? []);
    const [first, , third] = asked;
    // The last reply is bounded by the limit minus the first usage and the last request.
    expect(third?.outputTokens).toBe(4_096);
    expect(used).toBeLessThan(60_000);
    expect(
      (first?.inputTokens ?? 0) + (asked[1]?.inputTokens ?? 0) + (third?.inputTokens ?? 0),
    ).toBeGreaterThan(60_000);
  });
});

it('a reply cut off by a full context is requested again after the conversation is shortened', async () => {
  const broken = new ModelError('context-length', 'Context size has been exceeded.', { outputBegan: true });
  const call = { calls: [{ name: 'read' }] };
  const session = createTestSession(createClerk([createReadingTool('read')]), {
    replies: [call, broken, 'Done.'],
  });
  expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  expect(await readShortenings(session)).toHaveLength(1);
  expect(session.requests.map(({ messages }) => JSON.stringify(messages).length > 30_000)).toEqual([
    false,
    true,
    false,
  ]);
});

it('an inspector sees one iteration and a repeated request if a request is refused', async () => {
  const small = createSmallWindow(WINDOW_TOKENS, [['read'], 'Done.']);
  const iterations: number[] = [];
  const asked: number[] = [];
  const inspector = {
    name: 'counts',
    beforeModelCall: ({ iteration }: { iteration: number }) => void asked.push(iteration),
    afterIteration: ({ iteration }: { iteration: number }) => void iterations.push(iteration),
  };
  const agent = createClerk([createReadingTool('read')], { use: [inspect(inspector)] });
  await createTestSession(agent, { model: small.model }).send('Go.');
  expect(asked).toEqual([1, 2, 2]);
  expect(iterations).toEqual([1, 2]);
});
