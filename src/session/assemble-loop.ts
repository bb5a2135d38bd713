import type { Agent } from '../agent/define-agent.ts';
import { BUILT_IN_KINDS, type ToolKinds } from '../built-in-kinds.ts';
import { ROOT } from '../journal/events.ts';
import type { FrameState, TurnState } from '../journal/state.ts';
import { Reservations, unpriced, withBudgets } from '../loop/budget.ts';
import { LiveMemories } from '../loop/live-memories.ts';
import type { LiveEvents, Loop, LoopAgents, LoopSpec } from '../loop/loop.ts';
import { withCallLimits } from '../loop/loop-limits.ts';
import { runForOutput } from '../loop/run-loop.ts';
import { ScheduleRoom } from '../loop/scheduling.ts';
import { CallLocks, Slots } from '../loop/slots.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { ToolExecution } from '../tool/call.ts';
import { paragraphs } from '../tool/json.ts';
import type { Secrets } from '../tool/secrets.ts';
import { LOOP_ID_KEY, ToolCallContext } from '../tool/tool-call-context.ts';
import type { HeldSession } from './held-session.ts';

/** What an invocation brings to the loops of a turn. */
export interface LoopHost {
  /** Read once the turn is leased; a getter that throws a ConfigurationError ends the turn as failed. */
  readonly agent: Agent;
  /** Unless the agent has its own; read as `agent` is. */
  readonly model: ChatModel;
  /** Of the app; the library's own unless given. */
  readonly kinds?: ToolKinds | undefined;
  /** Those of the app, for tools that hand work to another agent. */
  readonly agents?: LoopAgents | undefined;
  /** Under the agent's context, and the request's. */
  readonly context?: ToolCallContext | undefined;
  /** Stands between every tool's effect and the world: what is run in its place. A crash matrix counts and disturbs there. */
  readonly around?: ((execution: ToolExecution) => ToolExecution) | undefined;
}

interface LoopParts {
  readonly host: LoopHost;
  readonly turn: TurnState;
  /** Of the turn's own loop. */
  readonly frame: FrameState;
  readonly session: HeldSession;
  readonly live: LiveEvents;
  readonly secrets: Secrets;
  /** When the turn started, by the object's clock. */
  readonly startedAt: number;
  /** Turns of the session that waited for their time when it was leased. */
  readonly scheduled: number;
}

const kindsOf = ({ kinds = BUILT_IN_KINDS }: Pick<LoopHost, 'kinds'>): ToolKinds => kinds;

/** The turn's own loop, of what its agent declares and what its invocation brings. @throws what a part of the host does. */
export const assembleLoop = ({
  host,
  turn,
  frame,
  session,
  live,
  secrets,
  startedAt,
  scheduled,
}: LoopParts): Loop => ({
  spec: specOf(host, turn),
  frame,
  turn: turn.id,
  startedAt,
  inSession: true,
  journal: session.outbox,
  holder: session,
  live,
  secrets,
  slots: new Slots(),
  locks: new CallLocks(turn),
  memories: new LiveMemories(session.outbox.state, kindsOf(host).memories),
  reservations: new Reservations(),
  scheduleRoom: new ScheduleRoom(turn.scheduled, scheduled),
  made: new Map(),
  kinds: kindsOf(host).strategies,
  agents: host.agents,
  around: host.around,
  run: runForOutput,
});

/** @throws ConfigurationError when a cost limit would have to hold a model whose price nobody knows. */
function specOf(host: LoopHost, turn: TurnState): LoopSpec {
  const { agent, context: ofApp = ToolCallContext.EMPTY } = host;
  // A turn that was sent no loop id has its own id as such.
  const isStamped = agent.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  const model = agent.model ?? host.model;
  const budgets = withBudgets([], ROOT, agent.limits);
  const problem = unpriced(model, budgets);
  if (problem) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  return {
    instructions: paragraphs(agent.instructions, agent.output?.instruction),
    output: agent.output,
    tools: agent.tools,
    strategies: [...agent.sources, ...kindsOf(host).strategies, ...agent.strategies],
    model,
    modelTimeout: agent.modelTimeout,
    iterations: agent.limits.iterations,
    callLimits: withCallLimits([], ROOT, agent.limits),
    budgets,
    policies: agent.policies,
    inspectors: agent.inspectors,
    transformers: agent.transformers,
    context: stamp.merge(ofApp).merge(agent.context).merge(ToolCallContext.of(turn.context)),
    depth: 0,
  };
}
