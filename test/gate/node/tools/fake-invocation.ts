import { type Decision, defineTool, type Question, Secrets, ToolCallContext } from '../../../../src/index.ts';
import type { CallRun, Discovery, LoopView, ToolEffect } from '../../../../src/kinds/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { CallView, createMemoryLoop, OverheadTimer, RunningCall } from '../../../doors/loop.ts';
import {
  createCallBlackboard,
  createCallState,
  createConsoleLog,
  envOfTools,
  toToolResult,
} from '../../../doors/tools.ts';

/** A call that runs its execution at once, and records each execution. */
export function createFakeInvocation(tool: string, context = ToolCallContext.EMPTY) {
  const leaves: ToolEffect[] = [];
  const seen: LoopView = {
    session: 'test',
    agent: 'memory',
    turn: '1',
    turnStartedAt: 0,
    principal: { id: 'ada' },
    frame: '',
    path: 'memory',
    iterations: 1,
    tools: [],
    context,
    log: createConsoleLog(),
    blackboard: [],
    recall: ({ initial }) => initial,
    made: (_, make) => make(),
    history: () => [],
  };
  const call: CallRun = {
    id: '1.2.0',
    tool,
    session: seen.session,
    agent: seen.agent,
    context,
    principal: seen.principal,
    signal: new AbortController().signal,
    state: createCallState({ get: () => undefined, set: () => undefined }),
    blackboard: createCallBlackboard({ entries: () => [], add: () => undefined }),
    secrets: Secrets.NONE,
    log: createConsoleLog(),
    env: envOfTools({}),
    inSession: true,
    progress: () => undefined,
    say: () => undefined,
    file: async () => undefined,
    history: () => [],
    async execute(leaf) {
      leaves.push(leaf);
      return toToolResult(tool, await leaf.run(call));
    },
    during: async (_, work) => work(),
    untimed: (work) => work(),
    view: seen,
    inLoop: createRunningCall(tool),
    offered: () => [],
    offeredAfter: () => [],
    record: () => undefined,
    recall: ({ initial }) => initial,
    now: () => 0,
    asked: { name: tool, input: '{}' },
    idempotencyKey: 'a'.repeat(64),
    startedAt: 0,
    checkpoint: () => undefined,
    ask: () => Promise.reject(new Error('This tool cannot wait for an answer.')),
    hasBegun: false,
  };
  const discovery: Discovery = {
    view: seen,
    secrets: Secrets.NONE,
    signal: new AbortController().signal,
    now: () => 0,
    ask: (_, work) => work(),
    atEnd: () => undefined,
    count: () => undefined,
    credentials: { find: async () => ({ status: 'none' }), keep: async () => false },
  };
  return { call, discovery, leaves };
}

/** Answers a call's questions, all of which must ask for decisions. */
export const answerDecisions = (
  decide: (question: Question<'decision'>) => Promise<Decision>,
): CallRun['ask'] => decide as CallRun['ask']; // no tool in these tests asks for a result

/** A call of this tool alone in a loop. */
function createRunningCall(name: string): RunningCall {
  const { loop } = createMemoryLoop({ tools: [], model: scriptedModel([]), holder: { now: () => 0 } });
  const record = { id: '1.2.0', providerId: '0', name, input: '{}' };
  return new RunningCall({
    loop,
    record,
    tool: defineTool({ name, description: 'Works.', run: () => '' }),
    view: new CallView(loop, record, []),
    time: new OverheadTimer({ after: () => () => undefined }, { tool: name, log: createConsoleLog() }),
  });
}
