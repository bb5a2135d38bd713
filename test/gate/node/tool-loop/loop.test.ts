import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type CallContext,
  type ChatModel,
  defineAgent,
  defineTool,
  type Limits,
} from '../../../../src/index.ts';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { InjectionStrategy } from '../../../../src/kinds/entry.ts';
import type { ModelReply } from '../../../../src/model/entry.ts';
import { inspect, type LoopInspector } from '../../../../src/modules/inspect/entry.ts';
import {
  toolGroup as asksFor,
  defineReference,
  defineToolGroup,
  toolGroups as registered,
} from '../../../../src/modules/tool-groups/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import { createMemoryLoop, runForOutput } from '../../../doors/loop.ts';
import type { FeedItem } from '../../../doors/session.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from './scenes.ts';

interface Scene {
  readonly tools?: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly limits?: Limits;
  readonly instructions?: string;
  readonly warm?: boolean;
}

function startSession({
  tools = [createReadingTool('look')],
  replies,
  limits,
  instructions = '',
  warm,
}: Scene): TestSession {
  const agent = defineAgent({ name: 'clerk', description: 'W.', instructions, tools, limits });
  return createTestSession(agent, { replies, warm });
}

describe('a loop', () => {
  it('calls the model once per iteration, each time with the complete history (LOOP-01, LOOP-21, S2-09)', async () => {
    const session = startSession({
      tools: [createReadingTool('look'), createReadingTool('list')],
      instructions: 'You look.',
      replies: [
        { text: 'Let me see.', calls: [{ name: 'look', input: { at: 1 }, id: 'p1' }] },
        { calls: [{ name: 'list', input: '', id: 'p1' }] },
        'Done.',
      ],
    });
    const answer = await session.send('Go.');
    expect(answer).toMatchObject({ iterations: 3, text: 'Done.' });
    const history = [
      { role: 'system', text: 'You look.' },
      { role: 'user', text: 'Go.' },
      {
        role: 'assistant',
        text: 'Let me see.',
        toolCalls: [{ id: 'p1', name: 'look', input: '{"at":1}' }],
      },
      { role: 'tool', id: 'p1', name: 'look', text: 'look done' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'p1', name: 'list', input: '' }] },
      { role: 'tool', id: 'p1', name: 'list', text: 'list done' },
    ];
    expect(session.requests.map(({ messages }) => messages)).toEqual([
      history.slice(0, 2),
      history.slice(0, 4),
      history,
    ]);
  });

  it('ends at the limit of model calls, and keeps the history, usage and best answer (LOOP-02, LOOP-03, S2-24)', async () => {
    const session = startSession({
      replies: [callTools('look'), callTools('look'), 'My best.'],
      limits: { iterations: 2 },
    });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      text: 'My best.',
      iterations: 3,
      toolCalls: 2,
      usage: { inputTokens: 30, outputTokens: 15 },
    });
    expect((await session.state()).messages).toHaveLength(4);
  });

  it('has a default limit of 20 model calls (LOOP-02, S2-24)', async () => {
    const session = startSession({
      replies: [...Array.from({ length: 20 }, () => callTools('look')), 'Enough.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', text: 'Enough.' });
    expect(session.requests.map(({ settings }) => settings?.toolChoice)).toEqual([
      ...Array.from({ length: 20 }, () => undefined),
      'none',
    ]);
  });

  it('finds the tool, runs it, updates the offered tools, and then shows the result to the model (LOOP-04)', async () => {
    const log: string[] = [];
    let seen = 0;
    const strategy: InjectionStrategy = {
      name: 'logging',
      offer: (tools, view) => {
        const messages = view.history();
        // While calls run, the strategy is asked again with the state before them.
        if (messages.length > seen)
          log.push(`offer after ${messages.length > 1 ? 'a result' : 'the message'}`);
        seen = Math.max(seen, messages.length);
        return tools;
      },
    };
    const inspector: LoopInspector = {
      beforeModelCall: ({ messages }) => void log.push(`ask with ${messages.at(-1)?.role}`),
      beforeToolCall: ({ call }) => void log.push(`found ${call.name}`),
      afterToolCall: ({ text }) => void log.push(text),
    };
    const { loop } = createMemoryLoop({
      tools: [createReadingTool('look', () => void log.push('run'))],
      model: scriptedModel([callTools('look'), 'Done.']),
      message: 'Go.',
      strategies: [strategy],
      uses: [inspect(inspector)],
    });
    await runForOutput(loop);
    expect(log).toEqual([
      ...['offer after the message', 'ask with user'],
      ...['found look', 'run', 'Done'],
      ...['offer after a result', 'ask with tool'],
    ]);
  });

  it('starts the calls of a reply in their order (LOOP-05)', async () => {
    const begun: string[] = [];
    const createRecordingTool = (name: string) => createReadingTool(name, () => void begun.push(name));
    const session = startSession({
      tools: ['a', 'b', 'c'].map(createRecordingTool),
      replies: [callTools('c', 'a', 'b', 'a'), 'Done.'],
    });
    await session.send('Go.');
    expect(begun).toEqual(['c', 'a', 'b', 'a']);
  });

  it('returns its outcome and text, and its messages are in the state (LOOP-07, S2-10)', async () => {
    const session = startSession({
      tools: [createReadingTool('look', () => ({ seen: 1 }))],
      replies: [callTools('look'), 'One.'],
    });
    const answer = await session.send('Go.', { loopId: 'mine' });
    expect(answer).toEqual({
      turn: answer.turn,
      loopId: 'mine',
      session: 'test',
      agent: 'clerk',
      outcome: 'completed',
      text: 'One.',
      artifacts: [{ call: `${answer.turn}.3.0`, tool: 'look', value: { seen: 1 } }],
      usage: { inputTokens: 20, outputTokens: 10 },
      iterations: 2,
      toolCalls: 1,
      model: 'scripted',
    });
    expect((await session.state()).messages).toMatchObject([
      { role: 'user', text: 'Go.' },
      { role: 'assistant', calls: [{ name: 'look', ended: { result: { value: { seen: 1 } } } }] },
      { role: 'assistant', text: 'One.' },
    ]);
  });

  it.each<[string, readonly ModelReply['usage'][], object]>([
    ['never', [undefined, undefined], { inputTokens: 0, outputTokens: 0 }],
    [
      'only in a later reply',
      [undefined, { inputTokens: 7, outputTokens: 3 }],
      { inputTokens: 7, outputTokens: 3 },
    ],
    [
      'in each reply',
      [
        { inputTokens: 1, outputTokens: 2 },
        { inputTokens: 7, outputTokens: 3 },
      ],
      { inputTokens: 8, outputTokens: 5 },
    ],
  ])('adds up the usage if replies report it %s (LOOP-08)', async (_, usages, usage) => {
    const left = [...usages];
    const model: ChatModel = {
      name: 'm',
      ask: async ({ messages }) => {
        const isFirst = messages.length === 1;
        const toolCalls = isFirst ? [{ id: 'p', name: 'look', input: '' }] : [];
        return { text: isFirst ? '' : 'Done.', toolCalls, finish: 'stop', usage: left.shift() };
      },
    };
    const agent = defineAgent({
      name: 'clerk',
      description: 'W.',
      instructions: '',
      tools: [createReadingTool('look')],
    });
    expect((await createTestSession(agent, { model }).send('Go.')).usage).toEqual(usage);
  });

  it('sends a single system message, which is the first message (LOOP-17)', async () => {
    const session = startSession({
      tools: [createDiggingTool([createReadingTool('look')])],
      instructions: 'You work.',
      replies: [callTools('dig'), callTools('look'), 'Dug.', 'Done.', 'More.'],
    });
    await session.send('Go.');
    await session.send('And?');
    const systems = session.requests.map(({ messages }) =>
      messages.flatMap(({ role, text }, index) => (role === 'system' ? [[index, text]] : [])),
    );
    expect(systems).toEqual([
      [[0, 'You work.']],
      [[0, 'You dig.']],
      [[0, 'You dig.']],
      [[0, 'You work.']],
      [[0, 'You work.']],
    ]);
  });

  it('combines instructions, references, notes on tool groups and the answer format in the system message (LOOP-17)', async () => {
    const web = defineToolGroup({
      role: 'web',
      description: 'The web.',
      tools: [createReadingTool('search')],
      childToolUsageNotes: 'Search before you guess.',
    });
    const handbook = defineReference({
      name: 'handbook',
      description: 'The rules.',
      notes: 'Quote them.',
      tools: [],
    });
    const agent = defineAgent({
      name: 'clerk',
      description: 'W.',
      instructions: 'You work.',
      tools: [handbook, web],
      output: v.object({ total: v.number() }),
    });
    const session = createTestSession(agent, {
      replies: [callTools('search'), 'Seven.', '{"total":7}', '{"total":8}'],
    });
    await session.send('Go.');
    await session.send('And?');
    const system = [
      'You work.',
      "Reference 'handbook': The rules.\nQuote them.",
      "Notes on the tools of group 'web':\nSearch before you guess.",
      'When you give your answer, write it as JSON text that matches this JSON Schema, and nothing else:\n' +
        '{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}',
    ].join('\n\n');
    const systems = session.requests.map(({ messages }) =>
      messages.flatMap(({ role, text }, index) => (role === 'system' ? [[index, text]] : [])),
    );
    expect(systems).toEqual([[[0, system]], [[0, system]], [[0, system]], [[0, system]]]);
  });
});

describe('the events of a loop', () => {
  it('contain the start, each call with its input, result and duration, and the end (LOOP-18)', async () => {
    const clock = createManualClock(1_000);
    const app = createMemoryApp({
      tools: [
        createReadingTool('look', async () => {
          await clock.advance(250);
          return 'seen';
        }),
      ],
      replies: [
        async () => {
          await clock.advance(40);
          return { calls: [{ name: 'look', input: { at: 1 } }] };
        },
        'Done.',
      ],
      clock,
    });
    const end = await app.say('Go.');
    const turn = end.status === 'ended' ? end.turn.id : '';
    const events = await app.events(turn);
    expect(events).toMatchObject([
      { type: 'turn-started', loopId: turn, message: 'Go.' },
      { type: 'model-replied', toolCalls: [{ id: `${turn}.3.0`, name: 'look', input: '{"at":1}' }] },
      { type: 'tool-call-started', call: `${turn}.3.0`, effect: 'read' },
      { type: 'tool-call-ended', call: `${turn}.3.0`, result: { content: 'seen' }, ms: 250 },
      { type: 'model-replied', text: 'Done.' },
      { type: 'turn-ended', outcome: 'completed' },
    ]);
    expect(events.map(({ at }) => at)).toEqual([1_000, 1_040, 1_040, 1_290, 1_290, 1_290]);
    expect(end).toMatchObject({ turn: { iterations: 2, toolCalls: 1 } });
  });

  it('contain the group of a tool, and the durations of model calls and tool calls (LOOP-18)', async () => {
    const clock = createManualClock(1_000);
    const createSlowTool = (name: string, ms: number) =>
      createReadingTool(name, async () => {
        await clock.advance(ms);
        return `${name} done`;
      });
    const web = defineToolGroup({
      role: 'web',
      description: 'The web.',
      tools: [createSlowTool('search', 250)],
    });
    const seen: unknown[] = [];
    const inspector: LoopInspector = {
      beforeModelCall: ({ iteration, tools }) => void seen.push(['asked', iteration, tools]),
      afterModelCall: ({ ms }) => void seen.push(['replied', ms]),
      beforeToolCall: ({ call, metadata }) => void seen.push([call.name, call.input, metadata]),
      afterToolCall: ({ call, metadata, text, ms }) => void seen.push([call.name, text, metadata, ms]),
    };
    const tools = [createSlowTool('look', 30)];
    const base = { name: 'clerk', description: 'W.', instructions: '', use: [inspect(inspector)] };
    const replySlowly = async () => {
      await clock.advance(40);
      return callTools('search');
    };
    await createTestSession(defineAgent({ ...base, tools: [...tools, asksFor('web')] }), {
      replies: [replySlowly, callTools('look'), 'Done.'],
      use: [registered([web])],
      clock,
    }).send('Go.');
    const toolGroup = {
      role: 'web',
      name: 'web',
      description: 'The web.',
      provider: 'holdfast',
      version: '0.1.0',
      permissions: [],
    };
    expect(seen).toEqual([
      ['asked', 1, ['look', 'search']],
      ['replied', 40],
      ['search', '{}', { toolGroup }],
      ['search', 'search done', { toolGroup }, 250],
      ['asked', 2, ['look', 'search']],
      ['replied', 0],
      ['look', '{}', {}],
      ['look', 'look done', {}, 30],
      ['asked', 3, ['look', 'search']],
      ['replied', 0],
    ]);
  });

  it('distinguish two simultaneous calls of one tool (LOOP-19)', async () => {
    const app = createMemoryApp({
      tools: [createReadingTool('look')],
      replies: [
        {
          calls: [
            { name: 'look', id: 'same' },
            { name: 'look', id: 'same' },
          ],
        },
        { calls: [{ name: 'look', id: 'same' }] },
        'Done.',
      ],
      clock: createManualClock(1_000),
    });
    const end = await app.say('Go.');
    const events = await app.events(end.status === 'ended' ? end.turn.id : '');
    const ids = events.flatMap((event) => (event.type === 'tool-call-ended' ? [event.call] : []));
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });

  it('are the same with and without a client that streams the text (LOOP-20)', async () => {
    const replies: ScriptedReply[] = [
      '',
      { text: 'Let me see.', calls: [{ name: 'look' }, { name: 'dig' }, { name: 'fly' }] },
      'Dug.',
      'Done.',
    ];
    const tools = [createReadingTool('look'), createDiggingTool([createReadingTool('look')])];
    async function getJournal(show?: (item: FeedItem) => void): Promise<readonly SessionEvent[]> {
      const app = createMemoryApp({ tools, replies, clock: createManualClock() });
      const end = await app.say('Go.', { show });
      return await app.events(end.status === 'ended' ? end.turn.id : '');
    }
    const shown: FeedItem[] = [];
    const watched = await getJournal((item) => shown.push(item));
    expect(watched).toEqual(await getJournal());
    const texts = shown.flatMap((item) =>
      item.type === 'text-delta' && item.frame === undefined ? [item.text] : [],
    );
    expect(texts.join('')).toBe('Let me see.Done.');
    const streamed = watched
      .filter(({ type }) => type === 'model-replied')
      .map((event) => 'text' in event && event.text);
    expect(streamed).toEqual(['', 'Let me see.', 'Dug.', 'Done.']);
  });
});

describe('a cancelled turn', () => {
  it('ends when the running call has ended, before the next call with the same serial key starts (LOOP-15)', async () => {
    const clock = createManualClock(1_000_000);
    const ran: string[] = [];
    let finish = (): void => {};
    const step = defineTool({
      name: 'step',
      description: 'Steps.',
      serial: 's',
      effect: 'once',
      run: (_, { id }) => {
        ran.push(id);
        return new Promise((resolve) => {
          finish = () => resolve('stepped');
        });
      },
    });
    const app = createMemoryApp({
      tools: [step],
      replies: [callTools('step', 'step'), 'Never.'],
      clock,
      leaseMs: LEASE_MS,
    });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    const end = app.run(leased);
    await clock.advance(0);
    await app.port.post({ kind: 'cancel', turn, body: '{}' });
    await clock.advance(1_000); // The cancel arrives once the connection is open.
    finish();
    expect(await advanceUntilSettled(clock, end)).toMatchObject({
      status: 'ended',
      turn: { outcome: 'cancelled' },
    });
    expect(ran).toEqual([`${turn}.3.0`]);
    const [, reply] = (await app.state()).messages;
    expect(reply).toMatchObject({
      calls: [
        { ended: { result: { content: 'stepped' } } },
        {
          ended: {
            result: { message: "The call of 'step' was cancelled before it ran.", reason: 'cancelled' },
          },
        },
      ],
    });
    expect(app.model.requests).toHaveLength(1);
  });
});

describe('a loop that is killed', () => {
  it('resumes at the iteration that it had reached, with the same idempotency keys (LOOP-22)', async () => {
    const keys: string[] = [];
    let kills = 1;
    const put = defineTool({
      name: 'put',
      description: 'Puts.',
      effect: 'idempotent',
      run: (_, { idempotencyKey, state, id }: CallContext) => {
        const n = Number(state.get('n') ?? 0) + 1;
        state.set('n', n);
        keys.push(idempotencyKey);
        if (n === 2 && kills-- > 0) session.kill();
        return `${n} by ${id.split('.').at(-2)}`;
      },
    });
    const session: TestSession = startSession({
      tools: [put],
      replies: [callTools('put'), callTools('put'), callTools('put'), 'Done.'],
      warm: true,
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', iterations: 4 });
    expect(session.requests).toHaveLength(4);
    expect(getShownResults(session.requests[3])).toEqual(['1 by 3', '2 by 6', '3 by 10']);
    expect(keys).toHaveLength(4);
    expect(keys[1]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(3);
  });

  it('loses nothing if the object of its session restarts after each iteration (LOOP-22)', async () => {
    const restarting = defineTool({
      name: 'count',
      description: 'Counts.',
      effect: 'idempotent',
      run: (_, { state }) => {
        const n = Number(state.get('n') ?? 0) + 1;
        state.set('n', n);
        session.restart();
        return n;
      },
    });
    const session: TestSession = startSession({
      tools: [restarting],
      replies: [callTools('count'), callTools('count'), callTools('count'), 'Done.'],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[3])).toEqual(['1', '2', '3']);
  });
});
