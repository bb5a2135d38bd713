import type { Agent } from '../agent/define-agent.ts';
import type { Principal } from '../journal/events.ts';
import type { LeaseGrant, SessionPort } from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import type { LoopAgents, LoopSpec } from '../loop/loop.ts';
import {
  computeTokenCeiling,
  findModelProblem,
  LOOPS,
  type LoopDeclaration,
  listTurnUses,
} from '../loop/loop-seams.ts';
import { findSettingsProblem } from '../loop/loop-settings.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { GivenEnv } from '../tool/env.ts';
import { joinParagraphs } from '../tool/json.ts';
import type { Log, LogPlace } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import { LOOP_ID_KEY, ToolCallContext } from '../tool/tool-call-context.ts';
import type { FeedItem, LiveText } from './live-feed.ts';
import type { Meter } from './meter.ts';
import type { Clock } from './read-platform.ts';

/** The resources that an invocation provides to a turn. */
export interface TurnHost {
  /** Defaults to logging problems to the console. */
  readonly log?: Log | undefined;
  /** The turn's place in the app, without its id. */
  readonly place?: LogPlace | undefined;
  /** Read once the turn is leased. If it is a getter that throws a ConfigurationError, the turn fails. */
  readonly agent: Agent;
  /** The model, unless the agent has its own. Read like `agent`. */
  readonly model: ChatModel;
  /** The modules of the app. Defaults to none. */
  readonly modules?: Modules | undefined;
  /** The uses in scope of the session's agent, called when the turn stops. Defaults to all of `modules`. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** The agents of the app, for tools that delegate work. */
  readonly agents?: LoopAgents | undefined;
  /**
   * Returns the app's context for the principal of this turn. The agent's context and the request's override
   * it.
   */
  readonly context?: ((principal: Principal, turn: string) => ToolCallContext) | undefined;
  readonly port: SessionPort;
  readonly clock: Clock;
  /**
   * Mints the credentials of this invocation's tools for the principal of this turn. They are never
   * journaled.
   */
  readonly secrets?: ((principal: Principal, turn: string) => Secrets | Promise<Secrets>) | undefined;
  /** The Worker's vars, secrets and bindings, for its tools. Defaults to none. */
  readonly env?: GivenEnv | undefined;
  /**
   * Copies further events into a leased fork. Resolves with `true`, or `undefined` if this deployment cannot
   * copy them and leaves the fork to another.
   */
  readonly copyOn?: ((leased: LeaseGrant) => Promise<boolean | undefined>) | undefined;
  /** `true` if the session ends with this invocation, so that it cannot store later work. */
  readonly keepsNothing?: true | undefined;
  /** Shows events and live items to a client. */
  readonly show?: ((item: FeedItem) => void) | undefined;
  /** Shows live items to readers elsewhere. If absent, they see only the journal. */
  readonly liveText?: LiveText | undefined;
  /**
   * Aborts when the client no longer waits for the answer. The turn is then handed over at its next boundary.
   */
  readonly leave?: AbortSignal | undefined;
  /** Keeps the invocation alive for work after the turn: the late result of a call that was cut off. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Counts what the invocation uses. Defaults to no limits. */
  readonly meter?: Meter | undefined;
}

/**
 * Returns the spec of the turn's own loop, as its agent declares it.
 *
 * @throws ConfigurationError if a module cannot be used with the model, or if the model refuses the settings.
 */
export function toLoopSpec(host: TurnHost, turn: TurnState): LoopSpec {
  const { agent, modules = NO_MODULES } = host;
  const ofApp = host.context?.(turn.principal, turn.id) ?? ToolCallContext.EMPTY;
  // A turn without a sent loop id uses its own id.
  const isStamped = agent.policies.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  const model = agent.model ?? host.model;
  const { settings } = agent;
  const uses = listTurnUses(modules.appWide, agent.uses);
  const problem =
    findModelProblem([...modules.appWide, ...agent.uses], model) ?? findSettingsProblem({ model, settings });
  if (problem) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  let declared: LoopDeclaration = {
    instructions: agent.output
      ? joinParagraphs(agent.instructions, agent.output.instruction)
      : agent.instructions,
    output: agent.output,
  };
  for (const { use } of uses) declared = LOOPS.of(use)?.declare?.(declared, turn) ?? declared;
  return {
    ...declared,
    tools: agent.tools,
    uses,
    strategies: [...agent.sources, ...modules.strategies, ...agent.strategies],
    model,
    accepts: agent.accepts,
    settings,
    modelTimeout: settings?.timeout ?? {},
    iterations: agent.limits.iterations,
    tokenCeiling: computeTokenCeiling(agent.limits, uses),
    policies: agent.policies,
    context: stamp.merge(ofApp).merge(agent.context).merge(ToolCallContext.of(turn.context)),
    depth: 0,
  };
}
