import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { defineAgent } from '../../../../src/index.ts';
import { agentProcessTools, defineAgenticTool } from '../../../../src/kinds/entry.ts';
import { budget, callLimits } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { formatDuration } from '../../../doors/kinds.ts';
import { toToolResult } from '../../../doors/tools.ts';
import { callTools, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';
import { createFakeInvocation } from '../tools/fake-invocation.ts';
import { clock, createScene, getResult, joinLines, PRICES } from './process-scene.ts';

describe('agent_process', () => {
  it('unfolds into six tools, with notes on when to use them (PRC-01)', async () => {
    const { session } = await getResult('process_status');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['agent_process']);
    expect(session.requests[1]?.tools.map(({ name }) => name)).toEqual([
      'agent_process',
      'process_budget',
      'process_cost',
      'process_history',
      'process_models',
      'process_status',
      'process_tools_stats',
    ]);
    expect(getShownResults(session.requests[1])[0]).toContain(
      'Use process_status for current state and runtime. Use process_budget to check limits. Use process_cost to see spending.',
    );
    expect(session.requests[0]?.tools[0]?.description).toBe(
      'Access information about the current agent process including status, budget, cost, and history. Invoke to see available operations.',
    );
  });

  it('has tools that report outside a session that no process is available (PRC-02)', async () => {
    const tools = agentProcessTools().inner ?? [];
    expect(tools).toHaveLength(6);
    for (const tool of tools) {
      const { call } = createFakeInvocation(tool.name);
      const execute: typeof call.execute = async (leaf) => toToolResult(tool.name, await leaf.run(call));
      expect(await tool.call({}, { ...call, process: undefined, execute })).toEqual({
        type: 'text',
        content: 'No agent process available. These tools require an active agent context.',
      });
      expect(tool.effect).toBe('read');
    }
  });
});

describe('process_status', () => {
  it('returns the turn and its duration, and states that it has no parent (PRC-03)', async () => {
    const waitAndReply = async () => {
      await clock.advance(3_400);
      return 'Waited.';
    };
    const { answer, text } = await getResult('process_status', [callTools('wait')], {
      tools: [createReadingTool('wait', waitAndReply)],
    });
    expect(text).toBe(
      joinLines(
        `Process ID: ${answer.turn}`,
        'Status: RUNNING',
        'Running time: 3.4s',
        'No goal (utility process)',
        'Parent ID: none (root process)',
      ),
    );
  });

  it('measures the duration from the start of the turn, in every invocation (PRC-03)', async () => {
    const dieOnceStored = async () => {
      const readEventTypes = async () => (await session.events()).map(({ type }) => type);
      await vi.waitFor(async () => expect(await readEventTypes()).toContain('tool-call-ended'), 20_000);
      // Another invocation resumes after two lease terms of 20 s.
      session.kill();
      return 'Lost.';
    };
    const session: TestSession = createScene([
      callTools('agent_process'),
      dieOnceStored,
      callTools('process_status'),
      'Done.',
    ]);
    await session.send('Go.');
    const text = getShownResults(session.requests.at(-1)).at(-1)?.split('\n');
    expect(text?.slice(1, 3)).toEqual(['Status: RUNNING', 'Running time: 40.0s']);
  });

  it('states the output form as the goal (PRC-03)', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [agentProcessTools()],
      output: v.object({ sum: v.number() }),
    });
    const replies = [callTools('agent_process'), callTools('process_status'), '{"sum":1}'];
    const session = createTestSession(agent, { replies, clock });
    await session.send('Go.');
    const goal = session.requests[0]?.output?.name ?? '';
    expect(getShownResults(session.requests[2])[1]?.split('\n')[3]).toBe(`Goal: ${goal}`);
  });

  it('states the call that opened a nested loop, and its tool (PRC-03)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [agentProcessTools()],
    });
    const replies = [
      callTools('dig'),
      callTools('agent_process'),
      callTools('process_status'),
      'Dug.',
      'Done.',
    ];
    const session = createScene(replies, { tools: [dig] });
    const { turn } = await session.send('Go.');
    const text = getShownResults(session.requests[3])[1]?.split('\n');
    const opened = (await session.events()).flatMap((event) =>
      event.type === 'frame-started' ? [event.frame] : [],
    );
    expect(text?.[0]).toBe(`Process ID: ${opened[0]}`);
    expect(text?.[4]).toBe(`Parent ID: ${turn}`);
  });
});

describe('process_budget', () => {
  it('returns the limits, the usage and the remaining amounts (PRC-04)', async () => {
    const { text } = await getResult('process_budget', [callTools('look')], {
      tools: [createReadingTool('look')],
      use: [budget({ tokens: 200_000, cost: 0.5 }), callLimits({ toolCalls: 40 })],
      prices: PRICES,
    });
    expect(text).toBe(
      joinLines(
        'Budget Status:',
        '',
        'Cost limit: $0.5000',
        '  Used: $0.0002',
        '  Remaining: $0.4998',
        '',
        'Token limit: 200,000',
        '  Used: 45',
        '  Remaining: 199,955',
        '',
        'Action limit: 40',
        '  Used: 3',
        '  Remaining: 37',
      ),
    );
  });

  it('shows zero remaining calls, even if more calls were requested than allowed (PRC-04)', async () => {
    const { text } = await getResult('process_budget', [], { use: [callLimits({ toolCalls: 2 })] });
    expect(text.split('\n').slice(-3)).toEqual(['Action limit: 2', '  Used: 2', '  Remaining: 0']);
    const over = createScene(
      [callTools('agent_process'), callTools('process_budget', 'look', 'look'), 'Done.'],
      {
        tools: [createReadingTool('look')],
        use: [callLimits({ toolCalls: 2 })],
      },
    );
    await over.send('Go.');
    expect(getShownResults(over.requests[2])[1]).toContain('Action limit: 2\n  Used: 4\n  Remaining: 0');
  });

  it('states that a limit is missing (PRC-04)', async () => {
    const { text } = await getResult('process_budget', [], { use: [callLimits({ toolCalls: 'unlimited' })] });
    expect(text).toBe(
      joinLines(
        'Budget Status:',
        '',
        'Cost limit: none',
        '  Used: $0.0000',
        '',
        'Token limit: none',
        '  Used: 30',
        '',
        'Action limit: none',
        '  Used: 2',
      ),
    );
  });

  it('returns the tightest limit of the loop and of its outer loops (PRC-04, SUB-09)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [agentProcessTools()],
      use: [budget({ tokens: 100_000 })],
    });
    const replies = [
      callTools('dig'),
      callTools('agent_process'),
      callTools('process_budget'),
      'Dug.',
      'Done.',
    ];
    const getStatus = async (tokens: number) => {
      const session = createScene(replies, { tools: [dig], use: [budget({ tokens })] });
      await session.send('Go.');
      return getShownResults(session.requests[3])[1]?.split('\n').slice(5, 8);
    };
    expect(await getStatus(50_000)).toEqual(['Token limit: 50,000', '  Used: 45', '  Remaining: 49,955']);
    expect(await getStatus(500_000)).toEqual(['Token limit: 100,000', '  Used: 30', '  Remaining: 99,970']);
  });
});

describe('process_cost', () => {
  it('returns the cost and the number of calls (PRC-05)', async () => {
    const { text } = await getResult('process_cost', [], { prices: PRICES });
    expect(text).toBe(
      joinLines(
        'Cost and Usage:',
        '',
        'Total cost: $0.000140',
        'LLM invocations: 2',
        'Embedding invocations: 0',
        '',
        'Tokens used:',
        '  Prompt tokens: 20',
        '  Completion tokens: 10',
        '  Total tokens: 30',
      ),
    );
  });
});

describe('the output of the process tools', () => {
  it('is the same after a restart of the object and a kill of the Worker', async () => {
    const all = [
      'process_budget',
      'process_cost',
      'process_history',
      'process_models',
      'process_tools_stats',
    ];
    const run = async (disturbed: boolean) => {
      const dieOnceStored = async () => {
        // Reads do not wait for an append, and a result that is not stored would be requested again.
        const listEndedCalls = async () =>
          (await session.events()).filter((event) => event.type === 'tool-call-ended');
        await vi.waitFor(async () => expect(await listEndedCalls()).toHaveLength(2), 20_000);
        session.restart();
        session.kill();
        return 'Lost.';
      };
      const session = createScene(
        [
          callTools('agent_process'),
          callTools('look'),
          ...(disturbed ? [dieOnceStored] : []),
          callTools(...all),
          'Done.',
        ],
        { tools: [createReadingTool('look')], prices: PRICES },
      );
      await session.send('Go.');
      return getShownResults(session.requests.at(-1)).slice(2);
    };
    const undisturbed = await run(false);
    expect(undisturbed).toHaveLength(5);
    expect(await run(true)).toEqual(undisturbed);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0ms'],
    [250, '250ms'],
    [999.9, '999ms'],
    [3_400, '3.4s'],
    [59_990, '59.9s'],
    [60_000, '1m 0s'],
    [3_723_000, '1h 2m 3s'],
    [90_061_000, '25h 1m 1s'],
  ])('is formatted for %d ms as %s (PRC-06)', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
