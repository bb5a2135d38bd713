import { describe, expect, it } from 'vitest';
import { AgentDefinitionError, defineAgent, defineTool, type Limits } from '../../../../src/index.ts';
import { defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { type BudgetOptions, type CallLimits, callLimits } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { createReplyWithUsage, createScene, listEvents, PRICES } from './budget-scene.ts';
import { callTools, createReadingTool } from './scenes.ts';

const LOOK_REPLY = callTools('look');

describe('a turn that reached a limit', () => {
  it.each<[string, Omit<Limits, 'tokens'> & BudgetOptions & CallLimits, readonly ScriptedReply[], object]>([
    ['model calls', { iterations: 1 }, [LOOK_REPLY, 'Best.'], { kind: 'iterations', most: 1 }],
    ['tool calls', { toolCalls: 1 }, [callTools('look', 'look'), 'Best.'], { kind: 'toolCalls', most: 1 }],
    [
      'calls of one tool',
      { callsPerTool: { look: 2 } },
      [callTools('look', 'look', 'look'), 'Best.'],
      { kind: 'callsPerTool', most: 2 },
    ],
    [
      'tokens',
      { tokens: 3_000 },
      [createReplyWithUsage(2_900, 90, LOOK_REPLY)],
      { kind: 'tokens', most: 3_000 },
    ],
    ['cost', { cost: 0.01 }, [createReplyWithUsage(3_000, 60, LOOK_REPLY)], { kind: 'cost', most: 0.01 }],
    [
      'model calls after a limit on tool calls',
      { toolCalls: 1, iterations: 1 },
      [callTools('look', 'look'), 'Best.'],
      { kind: 'iterations', most: 1 },
    ],
  ])('reports the limit on %s, and its value (S2-24)', async (_, bounds, replies, limit) => {
    const { toolCalls, callsPerTool, tokens, cost, ...limits } = bounds;
    const use = [callLimits({ toolCalls, callsPerTool })];
    const isBounded = tokens !== undefined || cost !== undefined;
    const held = isBounded && { budget: { tokens, cost } };
    const session = createScene(replies, {
      limits,
      use,
      ...held,
      tools: [createReadingTool('look')],
      prices: PRICES,
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', limit });
    expect(await listEvents(session, 'turn-ended')).toMatchObject([{ outcome: 'limit-reached', limit }]);
    expect((await session.state()).turn).toMatchObject({ limit });
  });

  it('reports no limit if it ended for another reason', async () => {
    const session = createScene(['Done.'], { use: [callLimits({ toolCalls: 1 })] });
    expect(await session.send('Go.')).not.toHaveProperty('limit');
    expect((await listEvents(session, 'turn-ended'))[0]).not.toHaveProperty('limit');
  });

  it('reports the limit of a nested loop', async () => {
    const task = defineAgenticTool({
      name: 'task',
      description: 'Does a task.',
      instructions: 'Do it.',
      tools: [createReadingTool('look')],
      use: [callLimits({ toolCalls: 1 })],
    });
    const session = createScene([callTools('task'), callTools('look', 'look'), 'Half.', 'Done.'], {
      tools: [task],
    });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      limit: { kind: 'toolCalls', most: 1 },
      text: 'Done.',
    });
  });
});

const MILLION_TOKENS = { kind: 'tokens', most: 1_000_000 };

describe('a turn without a token limit', () => {
  it('makes no model call after a million tokens, and reserves no tokens before that', async () => {
    const session = createScene(
      [
        createReplyWithUsage(400_000, 100_000, { text: 'First.', ...LOOK_REPLY }),
        createReplyWithUsage(499_999, 0, LOOK_REPLY),
        createReplyWithUsage(1, 0, { text: 'Third.', ...LOOK_REPLY }),
      ],
      { tools: [createReadingTool('look')] },
    );
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      limit: MILLION_TOKENS,
      text: 'Third.',
      iterations: 3,
      toolCalls: 3,
    });
    expect(await listEvents(session, 'module-event')).toEqual([]);
    expect(await listEvents(session, 'model-refused')).toMatchObject([
      { limit: 'tokens', most: 1_000_000, used: 1_000_000, needed: 1 },
    ]);
  });

  it('returns its answer even if the answer exceeded the limit, and the next turn counts from zero', async () => {
    const session = createScene([
      createReplyWithUsage(2_000_000, 1, { text: 'Done.' }),
      createReplyWithUsage(10, 1, { text: 'And more.' }),
    ]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
    expect(await session.send('Go on.')).toMatchObject({ outcome: 'completed', text: 'And more.' });
  });

  it('counts the usage of nested loops, and ends them as well', async () => {
    const task = defineAgenticTool({
      name: 'task',
      description: 'Does a task.',
      instructions: 'Do it.',
      tools: [createReadingTool('look')],
    });
    const session = createScene(
      [createReplyWithUsage(600_000, 0, callTools('task')), createReplyWithUsage(400_000, 0, LOOK_REPLY)],
      {
        tools: [task],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', limit: MILLION_TOKENS });
    const ends = await listEvents(session, 'tool-call-ended');
    expect(ends.map(({ result }) => result)).toMatchObject([
      { content: 'look done' },
      { content: 'Stopped: the limit of 1000000 tokens was reached before there was an answer.' },
    ]);
  });

  it('leaves a message that arrives meanwhile to its own turn', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [
        defineTool({
          name: 'look',
          description: 'Looks.',
          effect: 'idempotent',
          run: async () => {
            await session.post('And this?', { whenBusy: 'steer' });
            return 'seen';
          },
        }),
      ],
    });
    const session: TestSession = createTestSession(agent, {
      replies: [createReplyWithUsage(1_000_000, 0, LOOK_REPLY), 'To this.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', limit: MILLION_TOKENS });
    await expect.poll(() => session.settled()).toMatchObject({ outcome: 'completed', text: 'To this.' });
    expect(await listEvents(session, 'turn-steered')).toEqual([]);
  });

  it.each<[string, Limits]>([
    ['a higher limit', { tokens: 5_000_000 }],
    ['the limit `unlimited`', { tokens: 'unlimited' }],
  ])('continues if its agent has %s', async (_, limits) => {
    const session = createScene([createReplyWithUsage(1_500_000, 0, LOOK_REPLY), 'Done.'], {
      tools: [createReadingTool('look')],
      limits,
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('continues if its agent has a higher token budget', async () => {
    const session = createScene([createReplyWithUsage(1_500_000, 0, LOOK_REPLY), 'Done.'], {
      tools: [createReadingTool('look')],
      budget: { tokens: 5_000_000 },
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('ends at the limit that its agent declares, without a reservation', async () => {
    const session = createScene([createReplyWithUsage(500, 0, LOOK_REPLY), 'Done.'], {
      tools: [createReadingTool('look')],
      limits: { tokens: 400 },
    });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'limit-reached',
      limit: { kind: 'tokens', most: 400 },
    });
    expect(await listEvents(session, 'module-event')).toEqual([]);
  });

  it.each([0, -1, 1.5, Number.POSITIVE_INFINITY])('cannot have a token limit of %d', (tokens) => {
    const define = () => defineAgent({ name: 'a', description: 'A.', instructions: '', limits: { tokens } });
    expect(define).toThrow(AgentDefinitionError);
    expect(define).toThrow(`Agent 'a' has a limit 'tokens' of ${tokens}. Use a positive whole number`);
  });
});
