import { STRATEGIES } from '../agent/kinds.ts';
import { paragraphs } from '../agent/paragraphs.ts';
import { ROOT } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';
import type { LiveEvents, Loop } from '../tool-loop/loop.ts';
import { runToolLoop } from '../tool-loop/run-tool-loop.ts';
import { Slots } from '../tool-loop/slots.ts';
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
}

/** The turn's own loop, of what its agent declares and what its invocation brings. @throws what a part of the host does. */
export function toLoop({ host, turn, session, live, secrets }: Parts): Loop {
  const { agent, context: ofApp = ToolCallContext.EMPTY } = host;
  // A turn that was sent no loop id has its own id as such.
  const isStamped = agent.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  return {
    turn: turn.id,
    frame: ROOT,
    instructions: paragraphs(agent.instructions, agent.output?.instruction),
    output: agent.output?.format,
    tools: agent.tools,
    limits: agent.limits,
    model: agent.model ?? host.model,
    kinds: STRATEGIES,
    strategies: [...agent.sources, ...STRATEGIES, ...agent.strategies],
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
    invocation: session,
    run: runToolLoop,
  };
}
