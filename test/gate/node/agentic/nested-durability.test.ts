/** Tests interrupted nested loops: cold folds, kills, snapshots and cancels. */

import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  type TestSession,
} from '../../../../src/testing/entry.ts';
import type { TurnHost } from '../../../doors/session.ts';
import { startStored, waitForEvent } from '../../../fixtures/stored.ts';
import { LEASE_MS, leaveHolderSilent, takeOver } from '../session/former-holder.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import {
  askAgents,
  callTools,
  createAgent,
  defineAgentic,
  getResults,
  replyByLoop,
  summarizeRequests,
} from './scenes.ts';

const createTask = (name: string) => [name, { task: `${name}.` }] as const;

/** Defines a `once` tool that records its runs, and runs a callback during each of them. */
function createCountingTool(name: string, during: (run: number) => void = () => {}) {
  const runs: string[] = [];
  const tool = defineTool({
    name,
    description: 'Acts.',
    run: (_, { idempotencyKey }) => {
      runs.push(idempotencyKey);
      during(runs.length);
      return `${name} ${runs.length}`;
    },
  });
  return { tool, runs };
}

/** Returns the requests to models, including repeated ones. */
const requestLines = (session: TestSession): readonly string[] => summarizeRequests(session.requests);

describe('a kill inside a nested loop', () => {
  /**
   * Three nested loops. In the innermost loop a `once` tool runs, and then a `read` tool kills the Worker.
   */
  function playDeepLoop(kills: number) {
    const pay = createCountingTool('pay');
    const fatal = defineTool({
      name: 'fatal',
      description: 'Kills the Worker.',
      effect: 'read',
      run: async (_, call) => {
        await startStored(session, call);
        if (left-- > 0) session.kill();
        return 'alive';
      },
    });
    let left = kills;
    const inner = defineAgentic('inner', [pay.tool, fatal]);
    const mid = createAgent('mid', [inner]);
    const outer = defineAgentic('outer', [defineSubagent({ agent: mid })]);
    const session = createTestSession(createAgent('boss', [outer]), {
      replies: [
        callTools(createTask('outer')),
        askAgents('mid'),
        callTools(createTask('inner')),
        callTools('pay'),
        callTools('fatal'),
        'Inner.',
        'Mid.',
        'Outer.',
        'Done.',
      ],
    });
    return { session, pay };
  }

  it.each([0, 1, 2])(
    'repeats no model call and no tool call at depth three, even if it occurs %i times',
    async (kills) => {
      const { session, pay } = playDeepLoop(kills);
      const answer = await session.send('Go.');
      expect(answer).toMatchObject({ outcome: 'completed', text: 'Done.', iterations: 9, toolCalls: 5 });
      expect(pay.runs).toHaveLength(1);
      expect(requestLines(session)).toEqual([
        'You are boss. <- Go.',
        'You outer. <- {"task":"outer."}',
        'You are mid. <- To mid.',
        'You inner. <- {"task":"inner."}',
        'You inner. <- pay 1',
        'You inner. <- alive',
        'You are mid. <- Inner.',
        'You outer. <- Mid.',
        'You are boss. <- Outer.',
      ]);
      const opened = (await session.events()).flatMap((event) =>
        event.type === 'frame-started' ? [[event.name, event.parent !== undefined]] : [],
      );
      expect(opened).toEqual([
        ['outer', false],
        ['mid', true],
        ['inner', true],
      ]);
    },
  );

  it('during a `once` call leaves the outcome of the call unknown, which the nested model sees', async () => {
    const pay = createCountingTool('pay', () => session.kill());
    const session: TestSession = createTestSession(createAgent('boss', [defineAgentic('dig', [pay.tool])]), {
      replies: [callTools(createTask('dig')), callTools('pay'), 'I cannot tell.', 'Done.'],
    });
    const answer = await session.send('Go.');
    expect([pay.runs.length, answer.outcome]).toEqual([1, 'completed']);
    expect(requestLines(session).slice(2)).toEqual([
      "You dig. <- Error: The outcome of this call of 'pay' is unknown: it was started, and no answer came back. It may have " +
        'happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
      'You are boss. <- I cannot tell.',
    ]);
  });

  it('during a model call repeats only that call', async () => {
    const pay = createCountingTool('pay');
    const die: ScriptedReply = async () => {
      await waitForEvent(session, ({ type }) => type === 'tool-call-ended');
      session.kill();
      return 'Lost.';
    };
    const session: TestSession = createTestSession(createAgent('boss', [defineAgentic('dig', [pay.tool])]), {
      replies: [callTools(createTask('dig')), callTools('pay'), die, 'Found.', 'Done.'],
    });
    await session.send('Go.');
    expect(requestLines(session)).toEqual([
      'You are boss. <- Go.',
      'You dig. <- {"task":"dig."}',
      'You dig. <- pay 1',
      'You dig. <- pay 1',
      'You are boss. <- Found.',
    ]);
    expect(pay.runs).toHaveLength(1);
  });

  it('after a rejected answer of a subagent does not give the subagent another attempt', async () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
    const biller = createAgent('biller', [], { output: jsonSchema(output) });
    const die: ScriptedReply = async () => {
      await waitForEvent(session, ({ type }) => type === 'answer-rejected');
      session.kill();
      return 'Lost.';
    };
    const session: TestSession = createTestSession(createAgent('boss', [defineSubagent({ agent: biller })]), {
      replies: [askAgents('biller'), 'One.', die, 'Two.', 'Done.'],
    });
    await session.send('Go.');
    const types = (await session.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'answer-rejected')).toHaveLength(1);
    expect(getResults(session)[0]).toMatch(/^Error: The model's answer does not have the form/);
  });

  it('lets each parallel loop resume from its own position', async () => {
    const runs: string[] = [];
    const createStepTool = (name: string) =>
      defineTool({
        name,
        description: 'Steps.',
        run: () => {
          runs.push(name);
          if (runs.length === 3) session.kill();
          return `${name} done`;
        },
      });
    const createStepAgent = (name: string) =>
      createAgent(name, [createStepTool(`${name}_1`), createStepTool(`${name}_2`)]);
    const createScript = (name: string) => [
      callTools(`${name}_1`),
      callTools(`${name}_2`),
      `${name} is done.`,
    ];
    const names = ['ann', 'bob', 'cid'];
    const session: TestSession = createTestSession(
      createAgent(
        'boss',
        names.map((name) => defineSubagent({ agent: createStepAgent(name) })),
      ),
      {
        replies: replyByLoop({
          'You are boss.': [askAgents(...names), 'Done.'],
          ...Object.fromEntries(
            names.map((name) => [
              `You are ${name}.`,
              [...createScript(name), `${name} is done.`, `${name} is done.`],
            ]),
          ),
        }),
      },
    );
    await session.send('Go.');
    expect(new Set(runs).size).toBe(runs.length);
    expect(getResults(session)).toEqual(names.map((name) => `${name} is done.`));
  });
});

describe('a subagent that was called in an earlier invocation', () => {
  const left = [
    {
      type: 'model-replied',
      model: 'scripted',
      text: '',
      toolCalls: [{ id: 'c0', providerId: 'p0', name: 'clerk', input: '{"message":"File it."}' }],
      finish: 'tool-calls',
    },
    { type: 'frame-started', frame: 'c0', name: 'clerk', message: 'File it.' },
  ] as const;
  const GONE = "Agent 'clerk' not found. Available agents: none.";

  it.each([
    ['after it started', left, `Error: ${GONE} The work had begun, and its outcome is unknown.`],
    ['before it started', left.slice(0, 1), `Error: ${GONE}`],
  ])('is reported with its known outcome if its agent disappeared %s', async (_, events, told) => {
    const clock = createManualClock(1_000_000);
    const tools = [defineSubagent({ agent: 'clerk' })];
    const app = createMemoryApp({ tools, replies: ['Done.'], clock, leaseMs: LEASE_MS });
    const agents: TurnHost['agents'] = {
      names: [],
      model: app.model,
      find: () => undefined,
      resolve: (one) => one,
    };
    const end = await takeOver(app, clock, await leaveHolderSilent(app, events), { agents });
    expect(end).toMatchObject({ turn: { outcome: 'completed' } });
    expect(app.model.requests[0]?.messages.at(-1)?.text).toBe(told);
  });
});

describe('the memory of nested loops', () => {
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    effect: 'read',
    run: (_, { state }) => {
      const n = Number(state.get('n') ?? 0) + 1;
      state.set('n', n);
      return `${n}`;
    },
  });

  it('is the same after a cold fold, at every depth', async () => {
    const turn = [
      callTools(createTask('outer')),
      askAgents('mid'),
      callTools('count'),
      'Mid.',
      callTools('count'),
      'Outer.',
      'Done.',
    ];
    const outer = defineAgentic('outer', [defineSubagent({ agent: createAgent('mid', [count]) }), count]);
    const session = createTestSession(createAgent('boss', [outer]), { replies: [...turn, ...turn] });
    await session.send('Go.');
    session.restart();
    await session.send('Go.');
    expect([...(await session.state()).callState].toSorted()).toEqual([
      ['boss/outer', { n: 2 }],
      ['boss/outer/mid', { n: 2 }],
    ]);
  });

  it('is the same if the journal is so long that a snapshot is read', async () => {
    const turn = [callTools(createTask('dig')), callTools('count'), 'Found.', 'Done.'];
    const app = createMemoryApp({
      tools: [defineAgentic('dig', [count])],
      replies: Array.from({ length: 45 }, () => turn).flat(),
    });
    for (let i = 0; i < 44; i += 1) await app.say('Go.');
    app.sessions.restart('["owner","tester","s1"]');
    const leased = await app.lease('Go.');
    expect(leased.snapshot?.seq).toBeGreaterThan(200);
    await app.run(leased);
    expect([...(await app.state()).callState]).toEqual([['tester/dig', { n: 45 }]]);
    expect(app.model.requests.at(-2)?.messages.at(-1)?.text).toBe('45');
  });
});
