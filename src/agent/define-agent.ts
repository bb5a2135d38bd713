import type { AnswerForm, OutputOf } from '../loop/answer-form.ts';
import { MOST_GENERATIONS, MOST_IN_TREE } from '../loop/call-starts.ts';
import { refusedModel } from '../loop/loop-seams.ts';
import { refusedSettings } from '../loop/loop-settings.ts';
import {
  DEFAULT_LIMITS,
  type LoopLimits,
  type LoopPolicies,
  type Policies,
  withLimits,
  withPolicies,
} from '../loop/policies.ts';
import type { ChatModel, ModelOfEnv } from '../model/chat-model.ts';
import type { AgentSettings } from '../model/settings.ts';
import { collectTools, withProviders } from '../sources/resolution/resolve-tools.ts';
import {
  type AppRequest,
  type CollectedTools,
  type ToolProvider,
  ToolResolutionError,
  type ToolSource,
} from '../sources/resolution/tool-source.ts';
import type { CallLimit, Limits } from '../tool/frame.ts';
import type { InputDeclaration } from '../tool/input-schema.ts';
import type { ForeignAgentKeys } from '../tool/instead.ts';
import { paragraphs } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, InjectionStrategy } from '../tool/tool.ts';
import { type ContextValues, ToolCallContext } from '../tool/tool-call-context.ts';
import { ownOffers, usesOf } from '../tool/uses.ts';
import { AgentDefinitionError, checkAgentLiteral, checkLimits, readOutput } from './check-settings.ts';

/** Instructions, a model, tools and limits: code, deployed with the Worker and never stored. */
export interface Agent<Name extends string = string, Output = unknown> {
  readonly name: Name;
  readonly description: string;
  /** They include the notes of its references. */
  readonly instructions: string;
  /** They include those of its references. */
  readonly tools: readonly AnyTool[];
  /** What its sources ask for more tools, for whoever lists them. */
  readonly providers: readonly ToolProvider[];
  /** Add tools to its own loop before those unfold: what its providers answer, and what its artifacts bring. */
  readonly sources: readonly InjectionStrategy[];
  /** Change what its own loop offers, after all others. */
  readonly strategies: readonly InjectionStrategy[];
  /** What each environment adds to its tools. */
  readonly asks: readonly AppRequest[];
  /** The modules that it uses: its own, and those that its tools bring along. */
  readonly uses: readonly ModuleUse[];
  /** Those that it was given itself. */
  readonly use: readonly ModuleUse[];
  /** What it asks of its app has not been added yet. */
  readonly needsApp: boolean;
  /** When it is absent, and so is `modelOf`, the app's model is asked. */
  readonly model?: ChatModel | undefined;
  /** Makes its model of an environment, in the place of `model`. */
  readonly modelOf?: ModelOfEnv | undefined;
  readonly settings?: AgentSettings | undefined;
  /** The media types of files that its messages may hold; when it is absent, its model says which. */
  readonly accepts?: readonly string[] | undefined;
  readonly limits: LoopLimits & { readonly maxGenerations: CallLimit; readonly maxScheduled: CallLimit };
  readonly policies: LoopPolicies;
  /** It lies under every request's context, which wins where both have a key. */
  readonly context: ToolCallContext;
  /** The form of its answers; they are words when it is absent. */
  readonly output?: AnswerForm | undefined;
  /** For inference only; never set. */
  readonly '~types'?: { readonly output: Output };
}

/** Bounds of a turn, and of the turns that turns start. */
export interface AgentLimits extends Limits {
  /**
   * How many turns in a row may each be scheduled by the one before (`sendLater` of `holdfast/schedules`). Defaults to 8. In the last one
   * `sendLater` throws. A message or a decision from outside resets the count.
   */
  readonly maxGenerations?: CallLimit | undefined;
  /**
   * How many turns calls may start (`sendLater`, or a message to another session by `call.env`) between two messages of a
   * person, however they branch. Defaults to 20. Recurring runs do not count.
   */
  readonly maxScheduled?: CallLimit | undefined;
}

/** The literal that `defineAgent` takes. */
export interface AgentConfig<Name extends string, Declaration extends InputDeclaration = undefined> {
  /** Stands in the paths of its sessions: 1 to 64 of the characters A-Z a-z 0-9 _ -. */
  readonly name: Name;
  /** What the agent is for, for whoever reads `GET /agents`. */
  readonly description: string;
  /** What the model is told first in every request. */
  readonly instructions: string;
  /**
   * What the model may call; each name once. Tools, tool objects, factories (`toolFactory`), providers, groups (`toolGroup('web')` for
   * one by its role) and references (`defineReference`), whose notes are added to the instructions, may be mixed.
   */
  readonly tools?: readonly ToolSource[] | undefined;
  /**
   * Modules that it uses, beside those that its tools bring along: `summarize()`, `budget()`, `chaining([chainFrom(Customer)])`, what
   * `defineInjectionStrategy` returns, in order.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * When it is absent, the app's model is asked. A function makes it of the Worker's vars, secrets and bindings, once for each
   * environment; where it throws, turns fail as `misconfigured`. A test session asks its own model in that place.
   */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /** How its replies are made: temperature, thinking, tool choice and more, over the defaults of its model. */
  readonly settings?: AgentSettings | undefined;
  /**
   * The media types of files that messages may hold, such as `['image/*', 'application/pdf']`; `[]` for none. Unless given:
   * the images, PDF and text that its model's adapter says it takes, and none where it does not say. What the adapter says
   * that its model cannot be given is refused even when it is named here.
   */
  readonly accepts?: readonly string[] | undefined;
  /** Bounds of one turn. Defaults to 20 iterations. */
  readonly limits?: AgentLimits | undefined;
  /** What its loops do where there is a choice: tools that do not exist, blank replies, tools that throw. */
  readonly policies?: Policies | undefined;
  /** Tool-call context of every turn; a request's own wins where both have a key. No credentials: it is code. */
  readonly context?: ContextValues | ToolCallContext | undefined;
  /**
   * What an answer must be: the schema of a JSON object, or a domain type. The answer of a turn then has it as `object`. A model whose
   * answer does not fit is told why and asked once more; then the turn fails as `invalid-output`.
   */
  readonly output?: Declaration | undefined;
}

/**
 * Declares an agent: it runs nowhere until it is given to an app, or to a test session.
 *
 * @throws AgentDefinitionError when a key is not known or its value of another kind or one that it cannot work with, the model is none,
 *   the name cannot stand in a path, something in the list is no tool, two tools share a name, the description is blank, a limit is on
 *   the cost of a model without prices, or the output is not the schema of a JSON object; ToolDefinitionError and ToolObjectError as
 *   `collectTools`.
 *
 * @example
 * ```ts
 * const clerk = defineAgent({
 *   name: 'clerk',
 *   description: 'Answers questions about orders.',
 *   instructions: 'Answer from the orders, and refund what is asked.',
 *   tools: [findOrder, refundOrder],
 * });
 * ```
 */
export function defineAgent<
  const Name extends string,
  const Declaration extends InputDeclaration = undefined,
>(config: AgentConfig<Name, Declaration> & ForeignAgentKeys): Agent<Name, OutputOf<Declaration>> {
  checkAgentLiteral(config);
  const { name, description, instructions } = config;
  checkName(name);
  const { tools, providers, requests: asks, notes } = toolsFor(name, config.tools ?? []);
  const model = typeof config.model === 'function' ? undefined : config.model;
  checkLimits(name, config.limits);
  const sources = withProviders(ownOffers(config.use, 'before'), providers);
  const strategies = ownOffers(config.use, 'after');
  const fault = literals?.agentFault(config, {
    tools,
    finders: [...sources, ...strategies, ...asks],
    refusedUse: () => model && refusedModel(config.use ?? [], model),
    refusedSettings: () => model && refusedSettings({ model, settings: config.settings }),
  });
  if (fault) throw new AgentDefinitionError(name, fault);
  return {
    name,
    description,
    instructions: paragraphs(instructions, ...notes),
    tools,
    providers,
    sources,
    strategies,
    asks,
    use: [...(config.use ?? [])],
    uses: usesOf([{ uses: config.use }, ...tools, ...providers, ...sources, ...asks]),
    needsApp: asks.length > 0,
    model,
    ...(typeof config.model === 'function' && { modelOf: config.model }),
    ...(config.settings && { settings: config.settings }),
    ...(config.accepts && { accepts: [...config.accepts] }),
    limits: limitsOf(config.limits),
    policies: withPolicies(config.policies),
    context: ToolCallContext.of(config.context ?? {}),
    output: readOutput(name, config.output),
  };
}

const limitsOf = (declared: AgentLimits = {}): Agent['limits'] => ({
  ...withLimits(declared, DEFAULT_LIMITS),
  maxGenerations: declared.maxGenerations ?? MOST_GENERATIONS,
  maxScheduled: declared.maxScheduled ?? MOST_IN_TREE,
});

function checkName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  const problem = 'is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -';
  throw new AgentDefinitionError(name, { field: 'name', problem });
}

function toolsFor(agent: string, sources: readonly ToolSource[]): CollectedTools {
  try {
    return collectTools(sources, { isAgent: true });
  } catch (cause) {
    if (!(cause instanceof ToolResolutionError)) throw cause;
    throw new AgentDefinitionError(agent, {
      field: 'tools',
      problem: `cannot have these tools: ${cause.message}`,
    });
  }
}
