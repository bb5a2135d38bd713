import { BUILT_IN_KINDS } from '../agent/kinds.ts';
import { ROOT } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { unpriced, withBudgets } from '../tool-loop/budget.ts';
import { CallLocks } from '../tool-loop/call-locks.ts';
import { LiveMemories } from '../tool-loop/live-memories.ts';
import { type LiveEvents, type Loop, withCallLimits } from '../tool-loop/loop.ts';
import { Reservations } from '../tool-loop/reserve.ts';
import { runToolLoop } from '../tool-loop/run-tool-loop.ts';
import { ScheduleRoom } from '../tool-loop/schedule-room.ts';
import { Slots } from '../tool-loop/slots.ts';
import { paragraphs } from '../tools/paragraphs.ts';
import type { Secrets } from '../tools/secrets.ts';
import { LOOP_ID_KEY, ToolCallContext } from '../tools/tool-call-context.ts';
import type { HeldSession } from './held-session.ts';
import type { TurnHost } from './run-turn.ts';

interface Parts {
  readonly host: TurnHost;
  readonly turn: TurnState;
  readonly session: HeldSession;
  readonly live: LiveEvents;
  readonly secrets: Secrets;
  /** When the turn started, by the object's clock. */
  readonly startedAt: number;
  /** Turns of the session that waited for their time when it was leased. */
  readonly scheduled: number;
}

/** The turn's own loop, of what its agent declares and what its invocation brings. @throws what a part of the host does. */
export function toLoop({ host, turn, session, live, secrets, startedAt, scheduled }: Parts): Loop {
  const { agent, context: ofApp = ToolCallContext.EMPTY, kinds = BUILT_IN_KINDS } = host;
  // A turn that was sent no loop id has its own id as such.
  const isStamped = agent.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  const model = agent.model ?? host.model;
  const budgets = withBudgets([], ROOT, agent.limits);
  const problem = unpriced(model, budgets);
  if (problem) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  return {
    turn: turn.id,
    startedAt,
    frame: ROOT,
    depth: 0,
    instructions: paragraphs(agent.instructions, agent.output?.instruction),
    output: agent.output,
    tools: agent.tools,
    iterations: agent.limits.iterations,
    callLimits: withCallLimits([], ROOT, agent.limits),
    budgets,
    reservations: new Reservations(),
    model,
    kinds: kinds.strategies,
    strategies: [...agent.sources, ...kinds.strategies, ...agent.strategies],
    made: new Map(),
    policies: agent.policies,
    inspectors: agent.inspectors,
    transformers: agent.transformers,
    context: stamp.merge(ofApp).merge(agent.context).merge(ToolCallContext.of(turn.context)),
    secrets,
    inSession: true,
    journal: session.outbox,
    live,
    slots: new Slots(),
    locks: new CallLocks(turn),
    memories: new LiveMemories(session.outbox.state, kinds.memories),
    scheduleRoom: new ScheduleRoom(turn.scheduled, scheduled),
    invocation: session,
    agents: host.agents,
    leaf: host.leaf,
    run: runToolLoop,
  };
}
