import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AgentConfig, defineAgent } from '../../src/agent/define-agent.ts';
import { defineAgenticTool } from '../../src/agentic/define-agentic-tool.ts';
import { agentProcessTools } from '../../src/process/agent-process-tools.ts';
import { duration } from '../../src/process/amounts.ts';
import { PROCESS } from '../../src/process/process-memory.ts';
import { createManualClock } from '../../src/testing/manual-clock.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing/scripted-model.ts';
import { createTestSession, type TestSession } from '../../src/testing/test-session.ts';
import { definePipeline } from '../../src/tools/pipeline/define-pipeline.ts';
import { error } from '../../src/tools/results.ts';
import { toToolResult } from '../../src/tools/to-tool-result.ts';
import type { AnyTool } from '../../src/tools/tool.ts';
import { calls, reads, shownResults } from '../tool-loop/scenes.ts';
import { fakeInvocation } from '../tools/fake-invocation.ts';

const PRICES = { input: 2, output: 10 };

interface Scene extends Pick<AgentConfig<'clerk'>, 'limits'> {
  readonly tools?: readonly AnyTool[];
  readonly prices?: typeof PRICES;
}

const clock = createManualClock(1_000_000);

/** One session whose agent can look at itself. */
function scene(replies: readonly ScriptedReply[], { tools = [], limits, prices }: Scene = {}) {
  const agent = defineAgent({
    name: 'clerk',
    description: 'Works.',
    instructions: 'Work.',
    tools: [agentProcessTools(), ...tools],
    limits,
  });
  return createTestSession(agent, { model: scriptedModel(replies, { prices }), clock });
}

/** What the last of these tools answers, once the process tools are unfolded and `before` has happened. */
async function said(tool: string, before: readonly ScriptedReply[] = [], more: Scene = {}) {
  const session = scene([calls('agent_process'), ...before, calls(tool), 'Done.'], more);
  const answer = await session.send('Go.');
  return { answer, session, text: shownResults(session.requests.at(-1)).at(-1) ?? '' };
}

const lines = (...all: string[]): string => all.join('\n');

describe('agent_process', () => {
  it('unfolds into six tools, with notes on which to use (PRC-01)', async () => {
    const { session } = await said('process_status');
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
    expect(shownResults(session.requests[1])[0]).toContain(
      'Use process_status for current state and runtime. Use process_budget to check limits. Use process_cost to see spending.',
    );
    expect(session.requests[0]?.tools[0]?.description).toBe(
      'Access information about the current agent process including status, budget, cost, and history. Invoke to see available operations.',
    );
  });

  it('answers in words where there is no session (PRC-02)', async () => {
    const tools = agentProcessTools().inner ?? [];
    expect(tools).toHaveLength(6);
    for (const tool of tools) {
      const { invocation } = fakeInvocation(tool.name);
      const execute: typeof invocation.execute = async (leaf) =>
        toToolResult(tool.name, await leaf.run({ ...invocation, idempotencyKey: 'a'.repeat(64) }));
      expect(await tool.call({}, { ...invocation, process: undefined, execute })).toEqual({
        type: 'text',
        content: 'No agent process available. These tools require an active agent context.',
      });
      expect(tool.effect).toBe('read');
    }
  });
});

describe('process_status', () => {
  it('tells the turn, how long it runs, and that nothing is around it (PRC-03)', async () => {
    const waits = async () => {
      await clock.advance(3_400);
      return 'Waited.';
    };
    const { answer, text } = await said('process_status', [calls('wait')], { tools: [reads('wait', waits)] });
    expect(text).toBe(
      lines(
        `Process ID: ${answer.turn}`,
        'Status: RUNNING',
        'Running time: 3.4s',
        'No goal (utility process)',
        'Parent ID: none (root process)',
      ),
    );
  });

  it('counts from the start of the turn, whichever invocation goes on with it (PRC-03)', async () => {
    const dies = async () => {
      const stored = async () => (await session.events()).map(({ event }) => event.type);
      await vi.waitFor(async () => expect(await stored()).toContain('tool-call-ended'));
      // Another one goes on when two terms of 20 s have passed.
      session.kill();
      return 'Lost.';
    };
    const session: TestSession = scene([calls('agent_process'), dies, calls('process_status'), 'Done.']);
    await session.send('Go.');
    const text = shownResults(session.requests.at(-1)).at(-1)?.split('\n');
    expect(text?.slice(1, 3)).toEqual(['Status: RUNNING', 'Running time: 40.0s']);
  });

  it('names the form of the answer as the goal (PRC-03)', async () => {
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [agentProcessTools()],
      output: v.object({ sum: v.number() }),
    });
    const replies = [calls('agent_process'), calls('process_status'), '{"sum":1}'];
    const session = createTestSession(agent, { replies, clock });
    await session.send('Go.');
    const goal = session.requests[0]?.output?.name ?? '';
    expect(shownResults(session.requests[2])[1]?.split('\n')[3]).toBe(`Goal: ${goal}`);
  });

  it('tells a nested loop the call that opened it, and whose it is (PRC-03)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [agentProcessTools()],
    });
    const replies = [calls('dig'), calls('agent_process'), calls('process_status'), 'Dug.', 'Done.'];
    const session = scene(replies, { tools: [dig] });
    const { turn } = await session.send('Go.');
    const text = shownResults(session.requests[3])[1]?.split('\n');
    const opened = (await session.events()).flatMap(({ event }) =>
      event.type === 'frame-started' ? [event.frame] : [],
    );
    expect(text?.[0]).toBe(`Process ID: ${opened[0]}`);
    expect(text?.[4]).toBe(`Parent ID: ${turn}`);
  });
});

describe('process_budget', () => {
  it('tells limits, what is used and what remains (PRC-04)', async () => {
    const { text } = await said('process_budget', [calls('look')], {
      tools: [reads('look')],
      limits: { tokens: 200_000, cost: 0.5, toolCalls: 40 },
      prices: PRICES,
    });
    expect(text).toBe(
      lines(
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

  it('is never negative, though more calls were asked for than are allowed (PRC-04)', async () => {
    const { text } = await said('process_budget', [], { limits: { toolCalls: 2 } });
    expect(text.split('\n').slice(-3)).toEqual(['Action limit: 2', '  Used: 2', '  Remaining: 0']);
    const over = scene([calls('agent_process'), calls('process_budget', 'look', 'look'), 'Done.'], {
      tools: [reads('look')],
      limits: { toolCalls: 2 },
    });
    await over.send('Go.');
    expect(shownResults(over.requests[2])[1]).toContain('Action limit: 2\n  Used: 4\n  Remaining: 0');
  });

  it('says where there is no limit (PRC-04)', async () => {
    const { text } = await said('process_budget', [], { limits: { toolCalls: 'unlimited' } });
    expect(text).toBe(
      lines(
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

  it('shows the limit that leaves the least, of the loop or of one around it (PRC-04, SUB-09)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [agentProcessTools()],
      limits: { tokens: 100_000 },
    });
    const replies = [calls('dig'), calls('agent_process'), calls('process_budget'), 'Dug.', 'Done.'];
    const shown = async (tokens: number) => {
      const session = scene(replies, { tools: [dig], limits: { tokens } });
      await session.send('Go.');
      return shownResults(session.requests[3])[1]?.split('\n').slice(5, 8);
    };
    expect(await shown(50_000)).toEqual(['Token limit: 50,000', '  Used: 45', '  Remaining: 49,955']);
    expect(await shown(500_000)).toEqual(['Token limit: 100,000', '  Used: 30', '  Remaining: 99,970']);
  });
});

describe('process_cost', () => {
  it('tells what was spent on how many calls (PRC-05)', async () => {
    const { text } = await said('process_cost', [], { prices: PRICES });
    expect(text).toBe(
      lines(
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

describe('process_history', () => {
  it('says when nothing has happened (PRC-06)', async () => {
    const exclusive = agentProcessTools().inner?.find(({ name }) => name === 'process_history');
    const session = scene([calls('process_history'), 'Done.'], { tools: exclusive ? [exclusive] : [] });
    await session.send('Go.');
    expect(shownResults(session.requests[1])).toEqual(['No actions have been executed yet.']);
  });

  it('lists what was called, for how long, and what failed (PRC-06)', async () => {
    const slow = reads('slow', async () => {
      await clock.advance(250);
      return 'Slow.';
    });
    const { text } = await said('process_history', [calls('slow'), calls('fails'), calls('nothing')], {
      tools: [slow, reads('fails', () => error('No.'))],
    });
    expect(text).toBe(
      lines(
        'Action history (4 action(s)):',
        '',
        '1. agent_process',
        '2. slow (250ms)',
        '3. fails (0ms, failed)',
        '4. nothing (failed)',
      ),
    );
  });

  it('shows the last fifty of many, and begins anew with each turn (PRC-06)', async () => {
    const many = Array.from({ length: 9 }, () => calls(...Array.from({ length: 6 }, () => 'look')));
    const session = scene(
      [
        calls('agent_process'),
        ...many,
        calls('process_history'),
        'Done.',
        calls('agent_process'),
        calls('process_history'),
        'Done.',
      ],
      { tools: [reads('look')], limits: { callsPerTool: 'unlimited' } },
    );
    await session.send('Go.');
    const text = shownResults(session.requests[11]).at(-1)?.split('\n');
    expect(text?.slice(0, 4)).toEqual([
      'Action history (55 action(s)):',
      '',
      '(the first 5 are not shown)',
      '6. look (0ms)',
    ]);
    expect(text).toHaveLength(53);
    session.restart();
    await session.send('Again.');
    expect(shownResults(session.requests.at(-1)).at(-1)?.split('\n')[0]).toBe(
      'Action history (1 action(s)):',
    );
  });
});

describe('process_tools_stats', () => {
  it('says when nothing has been called (PRC-06)', async () => {
    const bare = agentProcessTools().inner?.find(({ name }) => name === 'process_tools_stats');
    const session = scene([calls('process_tools_stats'), 'Done.'], { tools: bare ? [bare] : [] });
    await session.send('Go.');
    expect(shownResults(session.requests[1])).toEqual(['No tools have been called yet.']);
  });

  it('counts calls of each tool, the busiest first, in nested loops too (PRC-06)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [reads('look')],
    });
    const { text } = await said('process_tools_stats', [calls('dig'), calls('look', 'look'), 'Dug.'], {
      tools: [dig],
    });
    expect(text).toBe(
      lines(
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

  it('is not filled up by names that a model invents', async () => {
    const invented = Array.from({ length: 40 }, (_, at) =>
      calls(...Array.from({ length: 6 }, (__, i) => `x${at}_${i}`.repeat(40))),
    );
    const agent = defineAgent({
      name: 'clerk',
      description: 'Works.',
      instructions: 'Work.',
      tools: [agentProcessTools()],
      policies: { unknownTools: { retries: 1_000 } },
      limits: { iterations: 100, toolCalls: 'unlimited' },
    });
    const session = createTestSession(agent, { replies: [...invented, 'Done.'], clock });
    await session.send('Go.');
    const memory = (await session.state()).slices.get(PROCESS.name);
    expect(memory).toMatchObject({ calls: 240, tools: { length: 200 }, history: { length: 50 } });
    expect(JSON.stringify(memory).length).toBeLessThan(30_000);
  });
});

describe('process_models', () => {
  it('says when none has been asked (PRC-06)', async () => {
    const inner = agentProcessTools().inner?.find(({ name }) => name === 'process_models');
    const before = definePipeline({ name: 'before', description: 'Looks.', steps: inner ? [inner] : [] });
    const session = scene([calls('before'), 'Done.'], { tools: [before] });
    await session.send('Go.');
    // The turn's own model has been asked for the pipeline.
    expect(shownResults(session.requests[1])).toEqual([
      'Models used (1):\n\n- scripted (1 calls, 15 tokens)',
    ]);
    const turnless = { turn: 't', calls: 0, history: [], tools: [], models: [] };
    const { invocation } = fakeInvocation('process_models');
    const process = { recall: () => turnless } as unknown as NonNullable<typeof invocation.process>; // all that is read
    const execute: typeof invocation.execute = async (leaf) =>
      toToolResult('process_models', await leaf.run({ ...invocation, process, idempotencyKey: 'a' }));
    const answer = await inner?.call({}, { ...invocation, process, execute });
    expect(answer?.content).toBe('No models have been used yet.');
  });

  it('names each, with what it was used for and what it cost (PRC-06)', async () => {
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: v.object({}),
      tools: [reads('look')],
      model: { ...scriptedModel(['Dug.']), name: 'small' },
    });
    const { text } = await said('process_models', [calls('dig')], { tools: [dig], prices: PRICES });
    expect(text).toBe(
      lines(
        'Models used (2):',
        '',
        '- scripted (3 calls, 45 tokens, $0.000210)',
        '- small (1 calls, 15 tokens)',
      ),
    );
  });
});

describe('what the tools say', () => {
  it('is the same after the object and the Worker have crashed', async () => {
    const all = [
      'process_budget',
      'process_cost',
      'process_history',
      'process_models',
      'process_tools_stats',
    ];
    const run = async (disturbed: boolean) => {
      const dies = async () => {
        // Reads wait for no append, and what is not stored would be asked for again.
        const ended = async () =>
          (await session.events()).filter(({ event }) => event.type === 'tool-call-ended');
        await vi.waitFor(async () => expect(await ended()).toHaveLength(2));
        session.restart();
        session.kill();
        return 'Lost.';
      };
      const session = scene(
        [calls('agent_process'), calls('look'), ...(disturbed ? [dies] : []), calls(...all), 'Done.'],
        { tools: [reads('look')], prices: PRICES },
      );
      await session.send('Go.');
      return shownResults(session.requests.at(-1)).slice(2);
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
  ])('of %d ms is %s (PRC-06)', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
