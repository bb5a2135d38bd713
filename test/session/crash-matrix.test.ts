/** Every moment of a turn, and what may befall it there: the guarantee of DESIGN 1, counted outside. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChatModel, ModelReply, ModelRequest } from '../../src/model/chat-model.ts';
import { unknownOutcome } from '../../src/tool-loop/run-leaf.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { text } from '../../src/tools/results.ts';
import type { AnyTool, ToolCall } from '../../src/tools/tool.ts';
import { modelText } from '../../src/tools/tool-result.ts';
import { type Aftermath, runDisturbed, type Scenario, type World } from './crash-lab.ts';
import type { Disturbance, Line } from './disturbed-line.ts';

const unknownMail = modelText(unknownOutcome('mail'));

/** Replies by what was said so far, so that a call asked again is answered the same. */
const script: Readonly<Record<string, readonly (string | readonly string[])[]>> = {
  'Go.': [['look', 'put', 'pay', 'mail', 'step', 'step'], ['dig', 'look'], ['mail'], ['finish']],
  'Dig.': [['look', 'pay'], ['put', 'mail'], 'Dug.'],
  'And now?': ['Nothing.'],
};

const model: ChatModel = {
  name: 'script',
  async ask({ messages }: ModelRequest): Promise<ModelReply> {
    const begins = messages.findLastIndex(({ role }) => role === 'user');
    const asked = messages[begins];
    const position = messages.slice(begins).filter(({ role }) => role === 'assistant').length;
    const reply = script[asked?.role === 'user' ? asked.text : '']?.[position] ?? 'The script is over.';
    const calls = typeof reply === 'string' ? [] : reply;
    return {
      text: typeof reply === 'string' ? reply : '',
      toolCalls: calls.map((name, i) => ({ id: `${position}-${i}`, name, input: '{}' })),
      finish: 'stop',
    };
  },
};

const scenario: Scenario = {
  model,
  tools(line, world) {
    const act = (call: ToolCall, answer: string) =>
      line.through(() => {
        world.effects.push({ tool: call.tool, call: call.id, key: call.idempotencyKey });
        return answer;
      });
    const reconcile = (_: unknown, { idempotencyKey, tool }: ToolCall) =>
      world.effects.some(({ key }) => key === idempotencyKey)
        ? ({ done: `${tool} done` } as const)
        : 'not-done';
    const describe = (name: string) => ({ name, description: `To ${name}.` });
    return [
      defineTool({ ...describe('look'), effect: 'read', run: (_, call) => act(call, 'seen') }),
      defineTool({ ...describe('put'), effect: 'idempotent', run: (_, call) => act(call, 'put') }),
      defineTool({ ...describe('pay'), run: (_, call) => act(call, 'pay done'), reconcile }),
      defineTool({ ...describe('mail'), run: (_, call) => act(call, 'mailed') }),
      defineTool({
        ...describe('step'),
        effect: 'idempotent',
        serial: 'steps',
        run(_, call) {
          const steps = Number(call.state.get('steps') ?? 0) + 1;
          call.state.set('steps', steps);
          call.blackboard.add(steps);
          return act(call, `step ${steps} of ${call.blackboard.entries().length}`);
        },
      }),
      dig(line, world),
      defineTool({
        ...describe('finish'),
        returnDirect: true,
        run: (_, call) => act(call, 'finish done'),
        reconcile,
      }),
    ];
  },
};

const dig = (line: Line, world: World): AnyTool => ({
  name: 'dig',
  description: 'Digs deeper.',
  inputSchema: { type: 'object' },
  effect: 'none',
  returnDirect: false,
  metadata: {},
  check: async (input) => ({ ok: true, value: input }),
  async call(_, invocation) {
    const tools = scenario.tools(line, world).filter(({ name }) => name !== 'dig');
    const frame = await invocation.nest({ name: 'dig', instructions: '', message: 'Dig.', tools });
    return text(`${frame.outcome}: ${frame.text}`);
  },
});

/** How often each call had its effect, by tool. */
function effectsOf(aftermath: Aftermath, tool: string): number[] {
  const calls = aftermath.events.flatMap(({ event }) =>
    event.type === 'model-replied' ? event.toolCalls : [],
  );
  return calls
    .filter(({ name }) => name === tool)
    .map(({ id }) => aftermath.effects.filter(({ call }) => call === id).length);
}

const keysOf = ({ effects }: Aftermath, call: string): number =>
  new Set(effects.filter((effect) => effect.call === call).map(({ key }) => key)).size;

/** The conversation with what may differ made equal: a mail whose outcome is unknown. */
const comparable = ({ shown }: Aftermath): unknown[] =>
  shown.map((message) => {
    if (message.role !== 'tool' || message.name !== 'mail') return message;
    expect(['mailed', unknownMail]).toContain(message.text);
    return { ...message, text: 'mailed' };
  });

let undisturbed: Aftermath;

function expectGuarantee(aftermath: Aftermath): void {
  const { events, effects, timersLeft } = aftermath;
  const ends = events.flatMap(({ event }) => (event.type === 'turn-ended' ? [event.outcome] : []));
  expect(ends).toEqual(['returned-direct']);
  expect(events.at(-1)?.event.type).toBe('turn-ended');
  expect(effectsOf(aftermath, 'pay')).toEqual([1, 1]);
  expect(effectsOf(aftermath, 'finish')).toEqual([1]);
  for (const count of effectsOf(aftermath, 'mail')) expect(count).toBeLessThanOrEqual(1);
  for (const tool of ['put', 'step', 'look']) {
    for (const count of effectsOf(aftermath, tool)) expect(count).toBeGreaterThanOrEqual(1);
  }
  for (const { call } of effects) expect(keysOf(aftermath, call)).toBe(1);
  expect(comparable(aftermath)).toEqual(comparable(undisturbed));
  // What the model reads as done was done.
  const mailed = aftermath.shown.filter(
    (message) => message.role === 'tool' && message.text === 'mailed',
  ).length;
  expect(effects.filter(({ tool }) => tool === 'mail').length).toBeGreaterThanOrEqual(mailed);
  const asked = events.flatMap(({ event }) => (event.type === 'model-replied' ? event.toolCalls : []));
  const answered = events.flatMap(({ event }) => (event.type === 'tool-call-ended' ? [event.call] : []));
  expect(answered.toSorted()).toEqual(asked.map(({ id }) => id).toSorted());
  // No effect that the journal does not know of: what it asked for is durable before anything but a read runs.
  const known = new Set(answered);
  expect(effects.filter(({ tool, call }) => tool !== 'look' && !known.has(call))).toEqual([]);
  expect(timersLeft).toBe(0);
}

beforeAll(async () => {
  undisturbed = await runDisturbed(scenario, []);
});

describe('a turn that is disturbed at any moment', { timeout: 30_000 }, () => {
  it('has, undisturbed, every kind of call and one effect for each', () => {
    expect(undisturbed.effects.map(({ tool }) => tool).toSorted()).toEqual([
      'finish',
      'look',
      'look',
      'look',
      'mail',
      'mail',
      'mail',
      'pay',
      'pay',
      'put',
      'put',
      'step',
      'step',
    ]);
    expectGuarantee(undisturbed);
  });

  it.each(['rejects', 'hangs', 'late', 'zombie', 'lost-answer', 'restart'] as const)(
    'keeps the guarantee: %s',
    async (mode) => {
      const moments = Array.from({ length: undisturbed.positions }, (_, at) => at);
      await Promise.all(moments.map((at) => survives([{ at, mode }])));
    },
  );

  it('keeps the guarantee: two takers-over in a row are disturbed too', async () => {
    const pairs = Array.from({ length: 40 }, (_, i): Disturbance[] => {
      const mode = (['rejects', 'hangs', 'late'] as const)[i % 3] ?? 'late';
      return [
        { at: (i * 37) % undisturbed.positions, mode },
        { at: (i * 7) % 17, mode: i % 2 === 0 ? 'late' : 'zombie' },
      ];
    });
    await Promise.all(pairs.map(survives));
  });
});

async function survives(disturbances: readonly Disturbance[]): Promise<void> {
  const aftermath = await runDisturbed(scenario, disturbances);
  try {
    expectGuarantee(aftermath);
  } catch (cause) {
    throw new Error(`${JSON.stringify(disturbances)}:\n${cause}\n${journalOf(aftermath)}`, { cause });
  }
}

const journalOf = ({ events, effects }: Aftermath): string =>
  [
    ...events.map(({ seq, event }) => `${seq} ${event.type} ${'call' in event ? event.call : ''}`),
    JSON.stringify(effects),
  ].join('\n');
