import type { Agent } from '../agent/define-agent.ts';
import type { Principal } from '../journal/events.ts';
import type { Leased, SessionPort } from '../journal/session-port.ts';
import type { TurnState } from '../journal/state.ts';
import type { LoopAgents, LoopSpec } from '../loop/loop.ts';
import { type Declared, LOOPS, refusedModel, tokenCeiling, usesOfTurn } from '../loop/loop-seams.ts';
import { refusedSettings } from '../loop/loop-settings.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { GivenEnv } from '../tool/env.ts';
import { paragraphs } from '../tool/json.ts';
import type { Log, LogPlace } from '../tool/log.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { Secrets } from '../tool/secrets.ts';
import { LOOP_ID_KEY, ToolCallContext } from '../tool/tool-call-context.ts';
import type { FeedItem, LiveText } from './live-feed.ts';
import type { Meter } from './meter.ts';
import type { Clock } from './read-platform.ts';

/** What an invocation brings to a turn. */
export interface TurnHost {
  /** Unless given, problems go to the console. */
  readonly log?: Log | undefined;
  /** What is known of the turn's place beside its id. */
  readonly place?: LogPlace | undefined;
  /** Read once the turn is leased; a getter that throws a ConfigurationError ends the turn as failed. */
  readonly agent: Agent;
  /** Unless the agent has its own; read as `agent` is. */
  readonly model: ChatModel;
  /** Those of the app; none unless given. */
  readonly modules?: Modules | undefined;
  /** The uses in scope of the session's agent, asked when the turn stops. Defaults to all of `modules`. */
  readonly uses?: readonly ModuleUse[] | undefined;
  /** Those of the app, for tools that hand work to another agent. */
  readonly agents?: LoopAgents | undefined;
  /** Under the agent's context, and the request's; made for whoever asked for the turn of this id. */
  readonly context?: ((principal: Principal, turn: string) => ToolCallContext) | undefined;
  readonly port: SessionPort;
  readonly clock: Clock;
  /** Mints the credentials of this invocation's tools for whoever asked for the turn of this id; nothing of them is journaled. */
  readonly secrets?: ((principal: Principal, turn: string) => Secrets | Promise<Secrets>) | undefined;
  /** The Worker's vars, secrets and bindings, for its tools; none unless given. */
  readonly env?: GivenEnv | undefined;
  /** Copies further events into a leased fork. Resolves with `true` unless this deployment cannot, which leaves the fork to one that can. */
  readonly copyOn?: ((leased: Leased) => Promise<boolean | undefined>) | undefined;
  /** The session goes with this invocation: nothing that is to happen later can be kept in it. */
  readonly keepsNothing?: true | undefined;
  /** Shows a client what happens. */
  readonly show?: ((item: FeedItem) => void) | undefined;
  /** Shows readers elsewhere what is not journaled; absent: they have the journal alone. */
  readonly liveText?: LiveText | undefined;
  /** Aborts when nobody waits for the answer here any more: the turn is handed over at its next boundary. */
  readonly leave?: AbortSignal | undefined;
  /** Keeps the invocation alive for what comes after the turn: the late result of a call that was cut off. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Counts what the invocation uses; nothing is counted without one. */
  readonly meter?: Meter | undefined;
}

/**
 * The turn's own loop as its agent declares it.
 *
 * @throws ConfigurationError if a module cannot be used with the model, or the model refuses the settings.
 */
export function specOf(host: TurnHost, turn: TurnState): LoopSpec {
  const { agent, modules = NO_MODULES } = host;
  const ofApp = host.context?.(turn.principal, turn.id) ?? ToolCallContext.EMPTY;
  // A turn that was sent no loop id has its own id as such.
  const isStamped = agent.policies.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  const model = agent.model ?? host.model;
  const { settings } = agent;
  const uses = usesOfTurn(modules.appWide, agent.uses);
  const problem =
    refusedModel([...modules.appWide, ...agent.uses], model) ?? refusedSettings({ model, settings });
  if (problem) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  let declared: Declared = {
    instructions: agent.output
      ? paragraphs(agent.instructions, agent.output.instruction)
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
    tokenCeiling: tokenCeiling(agent.limits, uses),
    policies: agent.policies,
    context: stamp.merge(ofApp).merge(agent.context).merge(ToolCallContext.of(turn.context)),
    depth: 0,
  };
}
