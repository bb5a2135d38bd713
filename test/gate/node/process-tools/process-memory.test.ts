import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, error } from '../../../../src/index.ts';
import { agentProcessTools, defineAgenticTool, definePipeline } from '../../../../src/kinds/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { PROCESS_MEMORY } from '../../../doors/kinds.ts';
import { toToolResult } from '../../../doors/tools.ts';
import { callTools, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';
import { createFakeInvocation } from '../tools/fake-invocation.ts';
import { clock, createScene, getResult, joinLines, PRICES } from './process-scene.ts';

describe('process_history', () => {
  it('states that the history is empty (PRC-06)', async () => {
    const exclusive = agentProcessTools().inner?.find(({ name }) => name === 'process_history');
    const session = createScene([callTools('process_history'), 'Done.'], {
      tools: exclusive ? [exclusive] : [],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['No actions have been executed yet.']);
  });

  it('returns calls with their durations and failures (PRC-06)', async () => {
    const slow = createReadingTool('slow', async () => {
      await clock.advance(250);
      return 'Slow.';
    });
    const { text } = await getResult(
      'process_history',
      [callTools('slow'), callTools('fails'), callTools('nothing')],
      {
        tools: [slow, createReadingTool('fails', () => error('No.'))],
      },
    );
    expect(text).toBe(
      joinLines(
        'Action history (4 action(s)):',
        '',
        '1. agent_process',
        '2. slow (250ms)',
        '3. fails (0ms, failed)',
        '4. nothing (failed)',
      ),
    );
  });

  it('returns the last fifty calls, and is empty at the start of each turn (PRC-06)', async () => {
    const many = Array.from({ length: 9 }, () => callTools(...Array.from({ length: 6 }, () => 'look')));
    const session = createScene(
      [
        callTools('agent_process'),
        ...many,
        callTools('process_history'),
        'Done.',
        callTools('agent_process'),
        callTools('process_history'),
        'Done.',
      ],
      { tools: [createReadingTool('look')], use: [callLimits({ callsPerTool: 'unlimited' })] },
    );
    await session.send('Go.');
    const text = getShownResults(session.requests[11]).at(-1)?.split('\n');
    expect(text?.slice(0, 4)).toEqual([
      'Action history (55 action(s)):',
      '',
      '(the first 5 are not shown)',
      '6. look (0ms)',
    ]);
    expect(text).toHaveLength(53);
    session.restart();
    await session.send('Again.');
    expect(getShownResults(session.requests.at(-1)).at(-1)?.split('\n')[0]).toBe(
      'Action history (1 action(s)):',
    );
  });
});

describe('process_tools_stats', () => {
  it('states that no tool was called (PRC-06)', async () => {
    const bare = agentProcessTools().inner?.find(({ name }) => name === 'process_tools_stats');
    const session = createScene([callTools('process_tools_stats'), 'Done.'], { tools: bare ? [bare] : [] });
    await session.send('Go.');
    expect(getShownResults(session.requests[1])).toEqual(['No tools have been called yet.']);
  });

  it('returns the number of calls of each tool, most used first, including nested loops (PRC-06)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [createReadingTool('look')],
    });
    const { text } = await getResult(
      'process_tools_stats',
      [callTools('dig'), callTools('look', 'look'), 'Dug.'],
      {
        tools: [dig],
      },
    );
    expect(text).toBe(
      joinLines(
        'Tool Usage Statistics:',
        '',
        'Total tool calls: 4',
        'Unique tools used: 3',
        '',
        'Calls by tool:',
        '  look: 2 calls',
        '  agent_process: 1 calls',
        '  dig: 1 calls',
      ),
    );
  });

  it('stores a limited number of names that a model invents', async () => {
    const invented = Array.from({ length: 40 }, (_, at) =>
      callTools(...Array.from({ length: 6 }, (__, i) => `x${at}_${i}`.repeat(40))),
    );
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [agentProcessTools()],
      policies: { unknownTools: { retries: 1_000 } },
      limits: { iterations: 100 },
      use: [callLimits({ toolCalls: 'unlimited' })],
    });
    const session = createTestSession(agent, { replies: [...invented, 'Done.'], clock });
    await session.send('Go.');
    const memory = (await session.state()).memories.get(PROCESS_MEMORY.name);
    expect(memory).toMatchObject({ calls: 240, tools: { length: 200 }, history: { length: 50 } });
    expect(JSON.stringify(memory).length).toBeLessThan(30_000);
  });
});

describe('process_models', () => {
  it('states that no model was called (PRC-06)', async () => {
    const inner = agentProcessTools().inner?.find(({ name }) => name === 'process_models');
    const before = definePipeline({ name: 'before', description: 'Looks.', steps: inner ? [inner] : [] });
    const session = createScene([callTools('before'), 'Done.'], { tools: [before] });
    await session.send('Go.');
    // The turn's model called the pipeline.
    expect(getShownResults(session.requests[1])).toEqual([
      'Models used (1):\n\n- scripted (1 calls, 15 tokens)',
    ]);
    const turnless = { turn: 't', calls: 0, history: [], tools: [], models: [] };
    const { call } = createFakeInvocation('process_models');
    const process = { recall: () => turnless } as unknown as NonNullable<typeof call.process>; // The only property that the tool reads.
    const execute: typeof call.execute = async (leaf) =>
      toToolResult('process_models', await leaf.run({ ...call, process }));
    const answer = await inner?.call({}, { ...call, process, execute });
    expect(answer?.content).toBe('No models have been used yet.');
  });

  it('returns each model with its purpose and cost (PRC-06)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [createReadingTool('look')],
      model: { ...scriptedModel(['Dug.']), name: 'small' },
    });
    const { text } = await getResult('process_models', [callTools('dig')], { tools: [dig], prices: PRICES });
    expect(text).toBe(
      joinLines(
        'Models used (2):',
        '',
        '- scripted (3 calls, 45 tokens, $0.000210)',
        '- small (1 calls, 15 tokens)',
      ),
    );
  });
});
