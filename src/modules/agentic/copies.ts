/** Functions that copy tools with their own loop: all kinds of agentic tools, and subagents. */
import type { ChatModel, ModelOfEnv } from '../../model/chat-model.ts';
import { type AgentSettings, mergeSettings } from '../../model/settings.ts';
import type { ToolSource } from '../../sources/resolution/tool-source.ts';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import type { LiteralRule } from '../../tool/check-literal.ts';
import { findCopyMaker, makeCopyable } from '../../tool/decorate.ts';
import type { Limits } from '../../tool/frame.ts';
import { isJsonObject, type JsonObject } from '../../tool/json.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { describeValue, readName } from '../../tool/shown.ts';
import type { AnyTool, CallRun, LoopView, ToolInput } from '../../tool/tool.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';

/**
 * Returns a copy of the tool with more inner tools. In an agentic tool and a playbook, they are unlocked from
 * the start. In a state machine, they are available in every state. In a subagent, they join the agent's
 * tools. The original does not change. The copy has the same name and memory.
 *
 * @throws ToolDefinitionError if the tool has no loop of its own or is already decorated, or if two tools
 * share a name.
 * @throws ToolObjectError as `toolsOf` does.
 *
 * @example
 * ```ts
 * const thorough = withTools(research, findOrder);
 * ```
 */
export const withTools = <T extends AnyTool>(tool: T, ...tools: readonly ToolSource[]): T =>
  copyTool(tool, 'withTools', { tools });

/**
 * Returns a copy of the tool whose loop uses another model: a model, or a function that creates one from the
 * environment. Its settings stay, including those of a subagent's agent.
 *
 * @throws ToolDefinitionError if `model` is invalid or rejects the settings, or if it has no prices and the
 * cost is limited. Also throws if the tool has no loop of its own or is already decorated.
 *
 * @example
 * ```ts
 * const cheap = withModel(research, (env) => workersAi(env.AI as AiBinding, { model: '@cf/meta/llama-4-scout-17b-16e-instruct' }));
 * ```
 */
export const withModel = <T extends AnyTool>(tool: T, model: ChatModel | ModelOfEnv): T =>
  copyTool(tool, 'withModel', { model });

/**
 * Returns a copy of the tool with other instructions: text, or a function of the view and the input. In a
 * state machine the function also receives the state in which the call began. In a subagent they replace the
 * agent's instructions, including its notes on references.
 *
 * @throws ToolDefinitionError if the tool has no loop of its own or is already decorated.
 *
 * @example
 * ```ts
 * const brief = withInstructions(research, (view, { topic }) => `Say in three sentences what is known of ${topic}.`);
 * ```
 */
export const withInstructions = <T extends AnyTool>(tool: T, instructions: InstructionsOf<T>): T =>
  copyTool(tool, 'withInstructions', { instructions });

/**
 * Returns a copy of the tool with more tool-call context for the calls of its loop: values, or a function of
 * the input and the view of the enclosing loop. It overrides the context that the tool declares, and both
 * override that of the enclosing loop. Do not put credentials here. Every invocation computes the context
 * again, and it is never journaled.
 *
 * @throws ToolDefinitionError if a value is not JSON, or if the tool has no loop of its own or is already
 * decorated.
 *
 * @example
 * ```ts
 * const german = withContext(research, { locale: 'de' });
 * ```
 */
export const withContext = <T extends AnyTool>(tool: T, context: LoopContext<ToolInput<T>>): T =>
  copyTool(tool, 'withContext', { context });

/**
 * Returns a copy of the tool with other limits for its loop. Omitted limits stay the same.
 *
 * @throws ToolDefinitionError if a limit is invalid, or if the tool has no loop of its own or is already
 * decorated.
 *
 * @example
 * ```ts
 * const brief = withLimits(research, { iterations: 3 });
 * ```
 */
export const withLimits = <T extends AnyTool>(tool: T, limits: Omit<Limits, 'tokens'>): T =>
  copyTool(tool, 'withLimits', { limits });

/**
 * Returns a copy of the tool with more settings for the replies of its loop. They override its own settings,
 * or those of a subagent's agent.
 *
 * @throws ToolDefinitionError if a setting is unknown or the tool's model rejects it, or if the tool has no
 * loop of its own or is already decorated.
 *
 * @example
 * ```ts
 * const strict = withSettings(research, { temperature: 0 });
 * ```
 */
export const withSettings = <T extends AnyTool>(tool: T, settings: AgentSettings): T =>
  copyTool(tool, 'withSettings', { settings });

/**
 * Returns a copy of the tool whose loop uses more modules: `chaining([...])`, the result of
 * `defineInjectionStrategy`, a `budget`.
 *
 * @throws ToolDefinitionError if a module does not support the tool's model, or if the tool has no loop of
 * its own or is already decorated.
 *
 * @example
 * ```ts
 * const chained = withUse(research, chaining([chainFrom(Customer)]));
 * ```
 */
export const withUse = <T extends AnyTool>(tool: T, ...use: readonly ModuleUse[]): T =>
  copyTool(tool, 'withUse', { use });

/**
 * Tool-call context for the calls of a nested loop: values, or a function of the tool's input and the view of
 * the enclosing loop. The function runs again each time the call resumes, so it must depend only on its
 * arguments.
 */
export type LoopContext<Input = unknown> =
  | ContextValues
  | ToolCallContext
  | ((input: Input, view: LoopView) => ContextValues | ToolCallContext);

/** The rule for `context` in the configuration of a tool. */
export const CONTEXT_RULE: LiteralRule = [
  'an object, or a function of the input and the view',
  (value) => typeof value === 'function' || isJsonObject(value),
];

/** The instructions that the loop of a tool accepts. In a state machine they also receive the state. */
type InstructionsOf<T extends AnyTool> =
  | string
  | ((view: LoopView, input: ToolInput<T>, state: StateOf<T>) => string);

type StateOf<T> = '~state' extends keyof T ? NonNullable<T['~state']> : never;

/** Receives the view and the values from the tool's kind: the input, and in a state machine the state. */
type InstructionsFunction = (view: LoopView, input: never, state: never) => string;

export interface LoopChanges {
  readonly tools?: readonly ToolSource[] | undefined;
  readonly model?: ChatModel | ModelOfEnv | undefined;
  readonly instructions?: string | InstructionsFunction | undefined;
  /** Context that overrides the tool's own. Limits and settings override in the same way. */
  readonly context?: LoopContext<never> | undefined;
  readonly limits?: Omit<Limits, 'tokens'> | undefined;
  readonly settings?: AgentSettings | undefined;
  readonly use?: readonly ModuleUse[] | undefined;
}

/** Registers how to copy the tool with changes. Returns the tool. */
export const registerCopy = <T extends AnyTool>(tool: T, make: (changes: LoopChanges) => T): T =>
  makeCopyable(tool, make);

function copyTool<T extends AnyTool>(tool: T, by: string, changes: LoopChanges): T {
  const make = findCopyMaker(tool);
  if (make) return make(changes) as T; // made from the same configuration
  const [field = ''] = Object.keys(changes);
  const problem =
    'it was not returned by defineAgenticTool, definePlaybook, defineStateMachine or defineSubagent. ' +
    `Decorate the result of ${by} instead.`;
  throw new ToolDefinitionError(readName(tool), field, problem);
}

/** Returns the configuration with all changes except `tools`, since each kind has its own field for tools. */
export function applyLoopChanges<Config extends LoopConfig>(
  config: Config,
  { tools: _, context, ...changes }: LoopChanges,
): Config {
  return {
    ...mergeLoopChanges(config, changes),
    context: mergeContexts(config.name, config.context, context),
  };
}

type LoopConfig = Omit<LoopChanges, 'tools' | 'instructions' | 'model'> & { readonly name: string };

/**
 * Returns the values with the changes applied. Merges limits, settings and modules, and replaces all other
 * values.
 */
export const mergeLoopChanges = <Of extends Pick<LoopChanges, 'limits' | 'settings' | 'use'>>(
  of: Of,
  { limits, settings, use, ...others }: LoopChanges,
): Of => ({
  ...of,
  ...others,
  ...(limits && { limits: { ...of.limits, ...limits } }),
  ...(settings && { settings: mergeSettings(of.settings, settings) }),
  ...(use && { use: [...(of.use ?? []), ...use] }),
});

/** The input of a loop, as parsed by the schema and as sent by the model. */
interface LoopInput<Input> {
  readonly input: Input;
  readonly sent: JsonObject;
}

/**
 * Returns a call's input, as its schema parsed it and as the model sent it, both with the fields that
 * decorators added.
 */
export const toLoopInput = <Input>(
  input: Input,
  sent: JsonObject,
  { added }: Pick<CallRun, 'added'>,
): LoopInput<Input> =>
  added ? { input: { ...Object(input), ...added.typed }, sent: { ...sent, ...added.sent } } : { input, sent };

/** Merges a context over the declared one. @throws ToolDefinitionError if a value is not JSON. */
export function mergeContexts(
  tool: string,
  under: LoopContext<never> = {},
  over: LoopContext<never> = {},
): ToolCallContext | ContextFunction {
  if (typeof under !== 'function' && typeof over !== 'function') return mergeValues(tool, under, over);
  // The input has the type that each function declares.
  return (input, view) =>
    mergeValues(
      tool,
      ...[under, over].map((one) => (typeof one === 'function' ? one(input as never, view) : one)),
    );
}

type ContextFunction = (input: unknown, view: LoopView) => ToolCallContext;

/** Returns the context for one call. @throws TypeError if the function does not return a context. */
export const resolveContext = (
  context: ToolCallContext | ContextFunction,
  input: unknown,
  view: LoopView,
): ToolCallContext => (typeof context === 'function' ? context(input, view) : context);

function mergeValues(tool: string, ...given: readonly (ContextValues | ToolCallContext)[]): ToolCallContext {
  let values = ToolCallContext.EMPTY;
  for (const one of given) {
    if (!isJsonObject(one) || one instanceof Promise) {
      const use = one instanceof Promise ? 'be synchronous' : 'return an object';
      throw new TypeError(`Tool '${tool}': its context returned ${describeValue(one)}, but must ${use}.`);
    }
    values = values.merge(toContext(tool, one));
  }
  return values;
}

function toContext(tool: string, values: ContextValues | ToolCallContext): ToolCallContext {
  try {
    return ToolCallContext.of(values);
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ToolDefinitionError(tool, 'context', { problem: cause.message, cause });
  }
}
