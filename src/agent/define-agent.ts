import type { AnswerForm, OutputOf } from '../loop/answer-form.ts';
import { DEFAULT_MAX_GENERATIONS, DEFAULT_MAX_SCHEDULED } from '../loop/call-starts.ts';
import { findModelProblem } from '../loop/loop-seams.ts';
import { findSettingsProblem } from '../loop/loop-settings.ts';
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
import { joinParagraphs } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import type { ModuleUse } from '../tool/module-use.ts';
import type { AnyTool, InjectionStrategy } from '../tool/tool.ts';
import { type ContextValues, ToolCallContext } from '../tool/tool-call-context.ts';
import { collectUses, listOwnOffers } from '../tool/uses.ts';
import { AgentDefinitionError, checkAgentLiteral, checkLimits, toAgentOutput } from './check-settings.ts';

/**
 * An agent: instructions, a model, tools and limits. It is code that is deployed with the Worker, and is
 * never stored.
 */
export interface Agent<Name extends string = string, Output = unknown> {
  readonly name: Name;
  readonly description: string;
  /** The instructions, including the notes of its references. */
  readonly instructions: string;
  /** The tools, including those of its references. */
  readonly tools: readonly AnyTool[];
  /** The providers from which its sources request more tools. */
  readonly providers: readonly ToolProvider[];
  /** Strategies that add tools from providers and artifacts to its own loop, before those tools unfold. */
  readonly sources: readonly InjectionStrategy[];
  /** Strategies that change the tools of its own loop. They run after all others. */
  readonly strategies: readonly InjectionStrategy[];
  /** The tools that it requests from the app, filled in each environment. */
  readonly asks: readonly AppRequest[];
  /** The modules that it uses: its own, and those that its tools bring along. */
  readonly uses: readonly ModuleUse[];
  /** The modules passed in `use`, without those that its tools bring along. */
  readonly use: readonly ModuleUse[];
  /** `true` if its requests to the app are not filled yet. */
  readonly needsApp: boolean;
  /** Its model. If this and `modelOf` are absent, the app's model is used. */
  readonly model?: ChatModel | undefined;
  /** Makes its model from an environment, in place of `model`. */
  readonly modelOf?: ModelOfEnv | undefined;
  readonly settings?: AgentSettings | undefined;
  /** The media types of files that its messages can contain. If absent, its model decides. */
  readonly accepts?: readonly string[] | undefined;
  readonly limits: LoopLimits & { readonly maxGenerations: CallLimit; readonly maxScheduled: CallLimit };
  readonly policies: LoopPolicies;
  /** The context of its turns. Each key in a request's context overrides the same key here. */
  readonly context: ToolCallContext;
  /** The form of its answers. If absent, answers are plain text. */
  readonly output?: AnswerForm | undefined;
  /** For type inference only. Never set. */
  readonly '~types'?: { readonly output: Output };
}

/** Limits of a turn, and of the turns that turns start. */
export interface AgentLimits extends Limits {
  /**
   * The length of a chain of turns that each schedule the next (`sendLater` from `holdfast/schedules`).
   * Defaults to 8. In the last turn, `sendLater` throws. A message or a decision from outside resets the
   * count.
   */
  readonly maxGenerations?: CallLimit | undefined;
  /**
   * How many turns calls can start (`sendLater`, or a message to another session by `call.env`) between two
   * messages of a person, across all branches. Defaults to 20. Recurring runs do not count.
   */
  readonly maxScheduled?: CallLimit | undefined;
}

/** The options of `defineAgent`. */
export interface AgentConfig<Name extends string, Declaration extends InputDeclaration = undefined> {
  /** Part of the URLs of its sessions: 1 to 64 of the characters A-Z a-z 0-9 _ -. */
  readonly name: Name;
  /** The purpose of the agent, for readers of `GET /agents`. */
  readonly description: string;
  /** The instructions at the start of every model request. */
  readonly instructions: string;
  /**
   * The tools that the model can call, each name once. Accepts any mix of tools, tool objects, factories
   * (`toolFactory`), providers, groups (`toolGroup('web')` requests one by role) and references
   * (`defineReference`), whose notes are added to the instructions.
   */
  readonly tools?: readonly ToolSource[] | undefined;
  /**
   * Modules that it uses, in addition to those that its tools bring along: `summarize()`, `budget()`,
   * `chaining([chainFrom(Customer)])`, or the return value of `defineInjectionStrategy`. Their order counts.
   */
  readonly use?: readonly ModuleUse[] | undefined;
  /**
   * The model. Defaults to the app's. A function makes it from the Worker's vars, secrets and bindings, once
   * for each environment. If it throws, turns fail as `misconfigured`. A test session uses its own model
   * instead of a function.
   */
  readonly model?: ChatModel | ModelOfEnv | undefined;
  /**
   * Settings of its model calls, such as temperature, thinking and tool choice, over the defaults of its
   * model.
   */
  readonly settings?: AgentSettings | undefined;
  /**
   * The media types of files that messages can contain, such as `['image/*', 'application/pdf']`, or `[]` for
   * none. Defaults to the images, PDF and text that its model's adapter supports, or to none if the adapter
   * does not say. Types that the adapter does not support are refused even if listed here.
   */
  readonly accepts?: readonly string[] | undefined;
  /** Limits of one turn. Defaults to 20 iterations. */
  readonly limits?: AgentLimits | undefined;
  /**
   * The handling of tools that do not exist, blank replies, tools that throw, and other choices of its loops.
   */
  readonly policies?: Policies | undefined;
  /**
   * The tool-call context of every turn. Each key in a request's context overrides the same key here. Do not
   * put credentials here, since it is code.
   */
  readonly context?: ContextValues | ToolCallContext | undefined;
  /**
   * The form of its answers: the schema of a JSON object, or a domain type. The answer of a turn then has it
   * as `object`. If an answer does not fit, the model receives the reason and can retry once. Then the turn
   * fails as `invalid-output`.
   */
  readonly output?: Declaration | undefined;
}

/**
 * Defines an agent. It runs once it is passed to an app or a test session.
 *
 * @throws AgentDefinitionError if a key is unknown or its value is invalid, the name cannot be part of a URL,
 * a list element is not a tool, two tools share a name, the description is blank, a cost limit applies to a
 * model without prices, or the output is not the schema of a JSON object.
 * @throws ToolDefinitionError and ToolObjectError as `collectTools` does.
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
  const { tools, providers, requests: asks, notes } = collectAgentTools(name, config.tools ?? []);
  const model = typeof config.model === 'function' ? undefined : config.model;
  checkLimits(name, config.limits);
  const sources = withProviders(listOwnOffers(config.use, 'before'), providers);
  const strategies = listOwnOffers(config.use, 'after');
  const fault = literals?.agentFault(config, {
    tools,
    finders: [...sources, ...strategies, ...asks],
    refusedUse: () => model && findModelProblem(config.use ?? [], model),
    refusedSettings: () => model && findSettingsProblem({ model, settings: config.settings }),
  });
  if (fault) throw new AgentDefinitionError(name, fault);
  return {
    name,
    description,
    instructions: joinParagraphs(instructions, ...notes),
    tools,
    providers,
    sources,
    strategies,
    asks,
    use: [...(config.use ?? [])],
    uses: collectUses([{ uses: config.use }, ...tools, ...providers, ...sources, ...asks]),
    needsApp: asks.length > 0,
    model,
    ...(typeof config.model === 'function' && { modelOf: config.model }),
    ...(config.settings && { settings: config.settings }),
    ...(config.accepts && { accepts: [...config.accepts] }),
    limits: resolveLimits(config.limits),
    policies: withPolicies(config.policies),
    context: ToolCallContext.of(config.context ?? {}),
    output: toAgentOutput(name, config.output),
  };
}

const resolveLimits = (declared: AgentLimits = {}): Agent['limits'] => ({
  ...withLimits(declared, DEFAULT_LIMITS),
  maxGenerations: declared.maxGenerations ?? DEFAULT_MAX_GENERATIONS,
  maxScheduled: declared.maxScheduled ?? DEFAULT_MAX_SCHEDULED,
});

function checkName(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  const problem = 'is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -';
  throw new AgentDefinitionError(name, { field: 'name', problem });
}

function collectAgentTools(agent: string, sources: readonly ToolSource[]): CollectedTools {
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
