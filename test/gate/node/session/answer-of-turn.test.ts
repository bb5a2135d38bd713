import { describe, expect, it } from 'vitest';
import { replan, terminateAgent } from '../../../../src/index.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createOutsideSource } from '../tool-loop/outside.ts';
import { callTools, createDiggingTool, createReadingTool } from '../tool-loop/scenes.ts';
import {
  createCloseCall,
  createOpenCall,
  createTestAgent,
  createThinkingReply,
  startSession,
  TOOLS,
} from '../tools-changed/scenes.ts';

describe('the tool changes that a turn reports', () => {
  it('list the added and removed tools, and are absent if no tool changed (LOOP-07, TPR-12, S2-10)', async () => {
    const session = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('bar')),
      createThinkingReply('Three', createCloseCall('zoo')),
      createThinkingReply('Done'),
      createThinkingReply('Fine'),
    ]);
    const { turn, ...answer } = await session.send('Go.');
    expect(answer.tools).toEqual({ late: ['zoo', 'bar'], gone: ['zoo'], sourcesAsked: 0 });
    expect(await session.answer(turn)).toEqual({ turn, ...answer });
    expect(await session.send('And?')).not.toHaveProperty('tools');
  });

  it('omit tools that were replaced, or removed and added again', async () => {
    const session = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Two', createOpenCall('zoo', 'b')),
      createThinkingReply('Three', createCloseCall('zoo')),
      createThinkingReply('Four', createOpenCall('zoo')),
      createThinkingReply('Done'),
    ]);
    const { tools } = await session.send('Go.');
    expect(tools).toEqual({ late: ['zoo'], gone: [], sourcesAsked: 0 });
    const later = startSession([
      createThinkingReply('One', createOpenCall('zoo')),
      createThinkingReply('Done'),
      createThinkingReply('Two', createOpenCall('zoo', 'b')),
      createThinkingReply('Fine'),
    ]);
    await later.send('Go.');
    expect(await later.send('Replace it.')).not.toHaveProperty('tools');
  });

  it('omit a tool that the previous turn unlocked but never offered to the model', async () => {
    const tools = TOOLS.map((tool) => ({ ...tool, returnDirect: tool.name === 'open' }));
    const session = startSession(
      [createThinkingReply('One', createOpenCall('zoo')), createThinkingReply('Fine')],
      {
        tools,
      },
    );
    expect(await session.send('Go.')).not.toHaveProperty('tools');
    expect(await session.send('And?')).not.toHaveProperty('tools');
    expect(session.requests.at(-1)?.tools.map(({ name }) => name)).toContain('zoo');
  });

  it('count calls to external providers, but do not list tools that the session already had (TPR-12, S0-123)', async () => {
    const sources = ['shop', 'bank'].map((key) => createOutsideSource(key, () => [key]).provider);
    const agent = createTestAgent({ tools: sources, use: [] });
    const session = createTestSession(agent, { replies: ['Hello.', 'Again.'] });
    expect(await session.send('Hi.')).toMatchObject({ tools: { late: [], gone: [], sourcesAsked: 2 } });
    expect(await session.send('Hi.')).not.toHaveProperty('tools');
  });
});

describe('the calls that stopped a turn', () => {
  const createDirectTool = (name: string) =>
    createReadingTool(name, () => `${name}!`, { returnDirect: true });
  const changes = createReadingTool('change', () => {
    throw replan('Anew.');
  });
  const runCalls = async (asked: readonly string[], policies = {}) => {
    const agent = createTestAgent({
      tools: [createDirectTool('a'), createDirectTool('b'), createReadingTool('c'), changes],
      use: [],
      policies,
    });
    return createTestSession(agent, { replies: [callTools(...asked), 'Done.'] }).send('Go.');
  };

  it.each([
    ['those that returned directly', ['a', 'b'], 'returned-direct', ['a', 'b']],
    ['the one that sent a signal', ['c', 'change'], 'completed', ['change']],
    ['absent if the model answered', ['c'], 'completed', undefined],
  ])('are %s', async (_, asked, outcome, stopped) => {
    const answer = await runCalls(asked);
    const { stoppedBy } = answer;
    expect([answer.outcome, stoppedBy?.map(({ tool }) => tool)]).toEqual([outcome, stopped]);
    expect(stoppedBy?.[0]?.call).toBe(stopped && `${answer.turn}.3.${asked.indexOf(stopped[0] ?? '')}`);
  });

  it('are only those that returned directly, if a single direct return is enough to stop', async () => {
    expect(await runCalls(['c', 'a'], { returnDirect: 'any' })).toMatchObject({
      outcome: 'returned-direct',
      text: 'a!',
      stoppedBy: [{ tool: 'a' }],
    });
  });

  it('are the call that opened a nested loop, if a call inside that loop sent the signal', async () => {
    const ends = createReadingTool('end', () => {
      throw terminateAgent('Enough.');
    });
    const agent = createTestAgent({ tools: [createDiggingTool([ends])], use: [] });
    const session = createTestSession(agent, { replies: [callTools('dig'), callTools('end')] });
    const { turn, outcome, stoppedBy } = await session.send('Go.');
    expect([outcome, stoppedBy]).toEqual(['cancelled', [{ call: `${turn}.3.0`, tool: 'dig' }]]);
  });
});
