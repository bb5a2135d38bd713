import type { Agent } from '../agent/define-agent.ts';
import { BUILT_IN_KINDS, type ToolKinds } from '../built-in-kinds.ts';
import { type Principal, ROOT } from '../journal/events.ts';
import type { TurnState } from '../journal/state.ts';
import { unpriced, withBudgets } from '../loop/budget.ts';
import type { LoopSpec } from '../loop/loop.ts';
import { withCallLimits } from '../loop/loop-limits.ts';
import { refusedSettings } from '../loop/loop-settings.ts';
import { boundTo } from '../loop/transformers.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { paragraphs } from '../tool/json.ts';
import { LOOP_ID_KEY, ToolCallContext } from '../tool/tool-call-context.ts';

/** What an app and an agent declare of a turn. */
export interface DeclaredTurn {
  /** Read once the turn is leased; a getter that throws a ConfigurationError ends the turn as failed. */
  readonly agent: Agent;
  /** Unless the agent has its own; read as `agent` is. */
  readonly model: ChatModel;
  /** Of the app; the library's own unless given. */
  readonly kinds?: ToolKinds | undefined;
  /** Under the agent's context, and the request's; made for whoever asked for the turn of this id. */
  readonly context?: ((principal: Principal, turn: string) => ToolCallContext) | undefined;
}

/**
 * What the turn's own loop is declared with, by its agent and by the app.
 *
 * @throws ConfigurationError when a cost limit would have to hold a model whose price nobody knows, or the model refuses the settings.
 */
export function specOf(host: DeclaredTurn, turn: TurnState): LoopSpec {
  const { agent, kinds = BUILT_IN_KINDS } = host;
  const ofApp = host.context?.(turn.principal, turn.id) ?? ToolCallContext.EMPTY;
  // A turn that was sent no loop id has its own id as such.
  const isStamped = agent.loopIds === 'stamped' || turn.loopId !== turn.id;
  const stamp = ToolCallContext.of(isStamped ? { [LOOP_ID_KEY]: turn.loopId } : {});
  const model = agent.model ?? host.model;
  const budgets = withBudgets([], ROOT, agent.limits);
  const { settings } = agent;
  const problem = unpriced(model, budgets) ?? refusedSettings({ model, settings });
  if (problem) throw new ConfigurationError(`Agent '${agent.name}' ${problem}.`);
  return {
    instructions: paragraphs(agent.instructions, agent.output?.instruction),
    output: agent.output,
    tools: agent.tools,
    strategies: [...agent.sources, ...kinds.strategies, ...agent.strategies],
    model,
    accepts: agent.accepts,
    settings,
    cache: agent.cache,
    modelTimeout: agent.modelTimeout,
    iterations: agent.limits.iterations,
    callLimits: withCallLimits([], ROOT, agent.limits),
    budgets,
    policies: agent.policies,
    inspectors: agent.inspectors,
    transformers: boundTo(turn.principal, agent.transformers),
    context: stamp.merge(ofApp).merge(agent.context).merge(ToolCallContext.of(turn.context)),
    depth: 0,
  };
}
