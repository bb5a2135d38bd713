/** Copies of the tools that work in a loop of their own: agentic tools of all kinds, and subagents. */
import type { ChatModel, ModelOfEnv } from '../../model/chat-model.ts';
import { type AgentSettings, mergedSettings } from '../../model/settings.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import type { LiteralRule } from '../../tool/check-literal.ts';
import { copyable, makerOf } from '../../tool/decorate.ts';
import type { Limits } from '../../tool/frame.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { nameIn, shown } from '../../tool/shown.ts';
import type { AnyTool, CallRun, LoopView, ToolInput } from '../../tool/tool.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';

/**
 * The same tool with more tools inside, beside those that it has: of an agentic tool and of a playbook they are open from
 * the start, of a state machine available in every state, of a subagent beside its agent's. What it was made of stays as
 * it is, and so do its name, and what is remembered under that.
 *
 * @throws ToolDefinitionError when it has no loop of its own or is decorated already, or two of the tools share a name;
 *   ToolObjectError as `toolsOf`.
 *
 * @example
 * ```ts
 * const thorough = withTools(research, findOrder);
 * ```
 */
export const withTools = <T extends AnyTool>(tool: T, ...tools: readonly ToolSource[]): T =>
  copyOf(tool, 'withTools', { tools });

/**
 * The same tool, whose loop asks another model: a model, or a function that makes one of the environment. Its settings stay,
 * also those of a subagent's agent.
 *
 * @throws ToolDefinitionError when this is no model, the model refuses the settings, or has no prices where the cost is
 *   limited; when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const cheap = withModel(research, (env) => workersAi(env.AI as AiBinding, { model: '@cf/meta/llama-4-scout-17b-16e-instruct' }));
 * ```
 */
export const withModel = <T extends AnyTool>(tool: T, model: ChatModel | ModelOfEnv): T =>
  copyOf(tool, 'withModel', { model });

/**
 * The same tool with other instructions: words, or a function of the view, the input and, of a state machine, the state in
 * which the call began. Those of a subagent stand in place of its agent's, whose notes of references go with them.
 *
 * @throws ToolDefinitionError when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const brief = withInstructions(research, (view, { topic }) => `Say in three sentences what is known of ${topic}.`);
 * ```
 */
export const withInstructions = <T extends AnyTool>(tool: T, instructions: InstructionsOf<T>): T =>
  copyOf(tool, 'withInstructions', { instructions });

/**
 * The same tool with more tool-call context for the calls of its loop: values, or a function of the input and the view of the loop
 * around. It wins over what the tool declares, and both win over the context of the loop around. It is code, made again
 * by every invocation and never journaled: no place for credentials.
 *
 * @throws ToolDefinitionError when a value is not JSON; when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const german = withContext(research, { locale: 'de' });
 * ```
 */
export const withContext = <T extends AnyTool>(tool: T, context: LoopContext<ToolInput<T>>): T =>
  copyOf(tool, 'withContext', { context });

/**
 * The same tool with other bounds of its loop. A limit that is not given stays.
 *
 * @throws ToolDefinitionError when a limit cannot be followed; when the tool has no loop of its own or is decorated already.
 *
 * @example
 * ```ts
 * const brief = withLimits(research, { iterations: 3 });
 * ```
 */
export const withLimits = <T extends AnyTool>(tool: T, limits: Omit<Limits, 'tokens'>): T =>
  copyOf(tool, 'withLimits', { limits });

/**
 * The same tool with more settings for the replies of its loop, over those that it has; of a subagent over those of its agent.
 *
 * @throws ToolDefinitionError when a setting is not known, or the tool's model refuses it; when the tool has no loop of its own or is
 *   decorated already.
 *
 * @example
 * ```ts
 * const strict = withSettings(research, { temperature: 0 });
 * ```
 */
export const withSettings = <T extends AnyTool>(tool: T, settings: AgentSettings): T =>
  copyOf(tool, 'withSettings', { settings });

/**
 * The same tool, whose loop uses more modules beside those that it has: `chaining([...])`, what `defineInjectionStrategy` returns, a
 * `budget`.
 *
 * @throws ToolDefinitionError when the model of the tool cannot be used with one; when the tool has no loop of its own or is decorated
 *   already.
 *
 * @example
 * ```ts
 * const chained = withUse(research, chaining([chainFrom(Customer)]));
 * ```
 */
export const withUse = <T extends AnyTool>(tool: T, ...use: readonly ModuleUse[]): T =>
  copyOf(tool, 'withUse', { use });

/**
 * Tool-call context for the calls of a nested loop: values, or a function that makes them of what the tool is called with and the loop
 * around. The function runs again whenever the call is resumed, so it depends on these alone.
 */
export type LoopContext<Input = unknown> =
  | ContextValues
  | ToolCallContext
  | ((input: Input, view: LoopView) => ContextValues | ToolCallContext);

/** A context in the literal of a tool. */
export const CONTEXT: LiteralRule = [
  'an object, or a function of the input and the view',
  (value) => typeof value === 'function' || isJsonObject(value),
];

/** What the loop of a tool may be told first; a state machine also says the state. */
type InstructionsOf<T extends AnyTool> =
  | string
  | ((view: LoopView, input: ToolInput<T>, state: StateOf<T>) => string);

type StateOf<T> = '~state' extends keyof T ? NonNullable<T['~state']> : never;

/** Takes the view, and what its kind hands over: the input, and of a state machine the state. */
type AskedInstructions = (view: LoopView, input: never, state: never) => string;

/** What a copy has otherwise. */
export interface LoopChanges {
  /** Beside those that it has. */
  readonly tools?: readonly ToolSource[] | undefined;
  readonly model?: ChatModel | ModelOfEnv | undefined;
  readonly instructions?: string | AskedInstructions | undefined;
  /** Over the one that it has, and so are limits and settings. */
  readonly context?: LoopContext<never> | undefined;
  readonly limits?: Omit<Limits, 'tokens'> | undefined;
  readonly settings?: AgentSettings | undefined;
  /** Beside those that it has. */
  readonly use?: readonly ModuleUse[] | undefined;
}

/** The tool, which can be copied with changes from now on. */
export const copiedBy = <T extends AnyTool>(tool: T, make: (changes: LoopChanges) => T): T =>
  copyable(tool, make);

function copyOf<T extends AnyTool>(tool: T, by: string, changes: LoopChanges): T {
  const make = makerOf(tool);
  if (make) return make(changes) as T; // made from the same literal
  const [field = ''] = Object.keys(changes);
  const problem =
    'it is not what defineAgenticTool, definePlaybook, defineStateMachine or defineSubagent answered: ' +
    `decorate what ${by} answers instead.`;
  throw new ToolDefinitionError(nameIn(tool), field, problem);
}

/** The literal with all changes but that of its tools, which each kind has at a place of its own. */
export function changed<Config extends NamedLoop>(
  config: Config,
  { tools: _, context, ...changes }: LoopChanges,
): Config {
  return { ...withMore(config, changes), context: contextOf(config.name, config.context, context) };
}

type NamedLoop = Omit<LoopChanges, 'tools' | 'instructions' | 'model'> & { readonly name: string };

/** What there is, with changes: limits, settings and modules are added, the others take the place of what there is. */
export const withMore = <Of extends Pick<LoopChanges, 'limits' | 'settings' | 'use'>>(
  of: Of,
  { limits, settings, use, ...others }: LoopChanges,
): Of => ({
  ...of,
  ...others,
  ...(limits && { limits: { ...of.limits, ...limits } }),
  ...(settings && { settings: mergedSettings(of.settings, settings) }),
  ...(use && { use: [...(of.use ?? []), ...use] }),
});

/** What a loop is asked with. */
interface WholeInput<Input> {
  readonly input: Input;
  readonly sent: JsonObject;
}

/** The input of a call as its schema has read it, and as the model sent it, with what decorators have added to it. */
export const wholeInput = <Input>(
  input: Input,
  sent: JsonObject,
  { added }: Pick<CallRun, 'added'>,
): WholeInput<Input> =>
  added ? { input: { ...Object(input), ...added.typed }, sent: { ...sent, ...added.sent } } : { input, sent };

/** The declared context, with more over it. @throws ToolDefinitionError when a value is not JSON. */
export function contextOf(
  tool: string,
  under: LoopContext<never> = {},
  over: LoopContext<never> = {},
): ToolCallContext | ContextOfCall {
  if (typeof under !== 'function' && typeof over !== 'function') return valuesOf(tool, under, over);
  // Each is handed the input that its own types say.
  return (input, view) =>
    valuesOf(
      tool,
      ...[under, over].map((one) => (typeof one === 'function' ? one(input as never, view) : one)),
    );
}

/** Makes the context of one call. */
type ContextOfCall = (input: unknown, view: LoopView) => ToolCallContext;

/** The context for one call. @throws TypeError when the function returns what is none. */
export const contextFor = (
  context: ToolCallContext | ContextOfCall,
  input: unknown,
  view: LoopView,
): ToolCallContext => (typeof context === 'function' ? context(input, view) : context);

function valuesOf(tool: string, ...given: readonly (ContextValues | ToolCallContext)[]): ToolCallContext {
  let values = ToolCallContext.EMPTY;
  for (const one of given) {
    if (!isJsonObject(one) || one instanceof Promise) {
      const use = one instanceof Promise ? 'it must be synchronous' : 'it must return an object';
      throw new TypeError(`Tool '${tool}': its context returned ${shown(one)}; ${use}.`);
    }
    values = values.merge(contextOfValues(tool, one));
  }
  return values;
}

function contextOfValues(tool: string, values: ContextValues | ToolCallContext): ToolCallContext {
  try {
    return ToolCallContext.of(values);
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ToolDefinitionError(tool, 'context', { problem: cause.message, cause });
  }
}
