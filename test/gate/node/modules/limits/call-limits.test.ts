import { describe, expect, it, vi } from 'vitest';
import type { ModuleUse } from '../../../../../src/index.ts';
import { type AnyTool, defineAgent } from '../../../../../src/index.ts';
import { defineAgenticTool, defineSubagent } from '../../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { type CallLimits, callLimits } from '../../../../../src/modules/limits/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../../src/testing/entry.ts';
import { callTools, createDiggingTool, createReadingTool, getShownResults } from '../../tool-loop/scenes.ts';

interface Scene {
  readonly tools: readonly AnyTool[];
  readonly replies: readonly ScriptedReply[];
  readonly use?: readonly ModuleUse[];
}

async function collectResults({ replies, ...more }: Scene) {
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: '', ...more });
  const session = createTestSession(agent, { replies });
  const answer = await session.send('Go.');
  return { session, answer, texts: getShownResults(session.requests.at(-1)) };
}

describe('call limits (SPM-13)', () => {
  const tools = ['a', 'b', 'c'].map((name) => createReadingTool(name));
  const describeLimit = (tool: string, limit: number): string =>
    `Error: Tool call limit (${limit}) exceeded for tool '${tool}'. No further calls to this tool are allowed in this turn.`;

  it('apply the agent’s limit to each listed tool, and the default limit to the others', async () => {
    const { texts, answer } = await collectResults({
      tools,
      replies: [callTools('a', 'a', 'b', 'b'), 'Done.'],
      use: [callLimits({ callsPerTool: { a: 1 } })],
    });
    expect(texts).toEqual(['a done', describeLimit('a', 1), 'b done', 'b done']);
    expect(answer).toMatchObject({ outcome: 'limit-reached', text: 'Done.' });
  });

  it('can have one value for all unnamed tools, and `unlimited` for one tool', async () => {
    const { texts } = await collectResults({
      tools,
      replies: [callTools('a', 'a', 'a', 'b', 'b', 'c', 'c', 'c'), 'Done.'],
      use: [callLimits({ callsPerTool: { '*': 1, a: 'unlimited', c: 2 } })],
    });
    expect(texts).toEqual([
      ...['a done', 'a done', 'a done'],
      ...['b done', describeLimit('b', 1)],
      ...['c done', 'c done', describeLimit('c', 2)],
    ]);
  });

  it('allow one tool all calls of a turn if `toolCalls` is higher than the default limit per tool', async () => {
    const many = callTools(...Array.from({ length: 61 }, () => 'a'));
    const limited = await collectResults({
      tools,
      replies: [many, 'Done.'],
      use: [callLimits({ toolCalls: 60 })],
    });
    expect(limited.texts).toEqual([...Array(60).fill('a done'), describeLimit('a', 60)]);
    const open = await collectResults({
      tools,
      replies: [many, 'Done.'],
      use: [callLimits({ toolCalls: 'unlimited' })],
    });
    expect(open.answer).toMatchObject({ outcome: 'completed', toolCalls: 61 });
    const usual = await collectResults({ tools, replies: [many, 'Done.'], use: [callLimits()] });
    expect(usual.texts.slice(39, 41)).toEqual(['a done', describeLimit('a', 40)]);
  });

  it('can be turned off, so a turn can have more calls than by default', async () => {
    const many = callTools(...Array.from({ length: 160 }, () => 'a'));
    const open = await collectResults({
      tools,
      replies: [many, 'Done.'],
      use: [callLimits({ toolCalls: 'unlimited', callsPerTool: 'unlimited' })],
    });
    expect(open.answer).toMatchObject({ outcome: 'completed', toolCalls: 160 });
    const counted = await collectResults({
      tools,
      replies: [many, 'Done.'],
      use: [callLimits({ callsPerTool: { a: 'unlimited' } })],
    });
    expect(counted.texts.at(-1)).toBe(
      'Error: Total tool call limit (150) exceeded for this turn. No further tool calls are allowed.',
    );
  });

  it('are separate in a nested loop and in the outer loops', async () => {
    const { session } = await collectResults({
      tools: [createDiggingTool(tools, { uses: [callLimits({ callsPerTool: { a: 1 } })] })],
      replies: [callTools('dig'), callTools('a', 'a', 'b', 'b'), 'Dug.', 'Done.'],
      use: [callLimits({ callsPerTool: { b: 1 } })],
    });
    expect(getShownResults(session.requests[2])).toEqual([
      'a done',
      describeLimit('a', 1).replace('turn', 'task'),
      'b done',
      describeLimit('b', 1),
    ]);
  });

  it('match a tool only by its own name, even if the name is hostile', async () => {
    const { texts } = await collectResults({
      tools: [createReadingTool('toString')],
      replies: [callTools('toString', 'toString'), 'Done.'],
      use: [callLimits({ callsPerTool: { '*': 1, a: 2 } })],
    });
    expect(texts).toEqual(['toString done', describeLimit('toString', 1)]);
  });

  it('apply to the nested loop of an agentic tool that has them, but not to the turn or to another call of that tool', async () => {
    const task = defineAgenticTool({
      name: 'task',
      description: 'Does a task.',
      tools,
      use: [callLimits({ toolCalls: 1 })],
    });
    const { session, texts } = await collectResults({
      tools: [...tools, task],
      replies: [
        callTools('task'),
        callTools('a', 'b'),
        'Half.',
        callTools('task'),
        callTools('c'),
        'Whole.',
        callTools('a', 'b'),
        'Done.',
      ],
      use: [callLimits({ toolCalls: 6 })],
    });
    const all = 'Error: Total tool call limit (1) exceeded for this task. No further tool calls are allowed.';
    expect(getShownResults(session.requests[2])).toEqual(['a done', all]);
    expect(getShownResults(session.requests[5])).toEqual(['c done']);
    expect(texts).toEqual([
      'Half.',
      'Whole.',
      'a done',
      'Error: Total tool call limit (6) exceeded for this turn. No further tool calls are allowed.',
    ]);
  });

  it('apply only to the loop of a subagent that has them, in addition to those of the calling agent', async () => {
    const scout = defineAgent({
      name: 'scout',
      description: 'Looks.',
      instructions: 'Look.',
      tools,
      use: [callLimits({ toolCalls: 1 })],
    });
    const { session, texts } = await collectResults({
      tools: [...tools, defineSubagent({ agent: scout })],
      replies: [
        { calls: [{ name: 'scout', input: { message: 'Look.' } }] },
        callTools('a', 'b'),
        'Seen.',
        callTools('b', 'c'),
        'Done.',
      ],
      use: [callLimits({ toolCalls: 20 })],
    });
    expect(getShownResults(session.requests[2])?.[1]).toMatch(/^Error: Total tool call limit \(1\)/);
    expect(texts).toEqual(['Seen.', 'b done', 'c done']);
  });

  it('apply to each agent of an app that has them', async () => {
    const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: '', tools });
    const session = createTestSession(agent, {
      replies: [callTools('a', 'b'), 'Done.'],
      use: [callLimits({ toolCalls: 1 })],
    });
    expect(await session.send('Go.')).toMatchObject({ limit: { kind: 'toolCalls', most: 1 } });
  });

  it('count a call once, even if its turn is killed or the call waits for an approval', async () => {
    const dieAfterCall: ScriptedReply = async () => {
      await vi.waitFor(async () => {
        const stored = (await session.events()).filter(({ type }) => type === 'tool-call-ended');
        expect(stored).toHaveLength(1);
      }, 20_000);
      session.kill();
      return 'Lost.';
    };
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: '',
      tools: [...tools, requireApproval(createReadingTool('pay'), 'Pay?')],
      use: [callLimits({ toolCalls: 3 })],
    });
    const session: TestSession = createTestSession(agent, {
      replies: [callTools('a'), dieAfterCall, callTools('pay', 'b', 'c'), 'Done.'],
      clock: createManualClock(1_000),
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
    session.restart();
    expect(await session.decide('pay', 'approve')).toMatchObject({
      outcome: 'limit-reached',
      limit: { kind: 'toolCalls', most: 3 },
    });
    expect(getShownResults(session.requests.at(-1))).toEqual([
      'a done',
      'pay done',
      'b done',
      'Error: Total tool call limit (3) exceeded for this turn. No further tool calls are allowed.',
    ]);
  });

  it.each<[CallLimits, string]>([
    [{ toolCalls: 0 }, "callLimits: toolCalls is 0. Use a positive whole number, or 'unlimited'."],
    [
      { callsPerTool: 1.5 },
      "callLimits: callsPerTool.* is 1.5. Use a positive whole number, or 'unlimited'.",
    ],
    [
      { callsPerTool: { '*': 'unlimited', look: -1 } },
      "callLimits: callsPerTool.look is -1. Use a positive whole number, or 'unlimited'.",
    ],
  ])('must be positive whole numbers: %j', (limits, message) => {
    expect(() => callLimits(limits)).toThrow(new RangeError(message));
  });
});
