import type { OutputFormat } from '../../model/chat-model.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { JsonObject } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { withFullStop } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';

/** Settings of a model request, for the code that calls the model. The manager does not use them. */
export interface ModelOptions {
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly topK?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** The required format of a text answer. */
  readonly output?: OutputFormat | undefined;
}

/** The options of one request with tools. They are never mutated. Merging returns changed copies. */
export interface ToolCallingOptions extends ModelOptions {
  readonly tools: readonly AnyTool[];
  /** The names of more tools, which a manager's resolver finds. */
  readonly toolNames: readonly string[];
  /**
   * `false` if the program itself runs the tool calls. Defaults to `true`: the code that calls the model runs
   * them.
   */
  readonly internalToolExecutionEnabled?: boolean | null | undefined;
  /** Values for every call, in addition to its input. */
  readonly toolContext: ToolCallContext;
}

/** The options of `defineToolCallingOptions`. */
export interface ToolCallingConfig extends ModelOptions {
  readonly tools?: readonly AnyTool[] | undefined;
  readonly toolNames?: readonly string[] | undefined;
  readonly internalToolExecutionEnabled?: boolean | null | undefined;
  readonly toolContext?: JsonObject | ToolCallContext | undefined;
}

/**
 * Creates the options of a request. Copies and freezes lists, and removes duplicate names.
 *
 * @throws ToolCallingError if two tools share a name.
 * @throws TypeError if a list has an empty item, or a key is unknown.
 *
 * @example
 * ```ts
 * const options = defineToolCallingOptions({ tools: [findOrder], toolContext: { tenant: 'acme' } });
 * ```
 */
export function defineToolCallingOptions(config: ToolCallingConfig = {}): ToolCallingOptions {
  const problem = literals?.fault(config, SHAPE)?.problem;
  if (problem !== undefined) throw new TypeError(`ToolCallingOptions: it ${withFullStop(problem)}`);
  const { tools = [], toolNames = [], toolContext = {}, stopSequences, ...more } = config;
  assertNoMissing('tools', tools);
  assertNoMissing('toolNames', toolNames);
  validateTools(tools);
  return Object.freeze({
    ...more,
    ...(stopSequences && { stopSequences: Object.freeze([...stopSequences]) }),
    tools: Object.freeze([...tools]),
    toolNames: Object.freeze([...new Set(toolNames)]),
    toolContext: ToolCallContext.of(toolContext),
  });
}

const SHAPE = {
  of: 'defineToolCallingOptions',
  keys: {
    model: 'any',
    temperature: 'any',
    maxTokens: 'any',
    topK: 'any',
    topP: 'any',
    frequencyPenalty: 'any',
    presencePenalty: 'any',
    stopSequences: 'any',
    output: 'any',
    tools: 'list',
    toolNames: 'list',
    internalToolExecutionEnabled: 'any',
    toolContext: 'any',
  },
  required: [],
  foreign: { context: 'toolContext', stop: 'stopSequences', maxOutputTokens: 'maxTokens' },
} satisfies LiteralShape<keyof ToolCallingConfig>;

/**
 * Returns a copy of the options with more values in their context. A value replaces an earlier value with the
 * same name.
 *
 * @example
 * ```ts
 * const german = withToolContext(options, { locale: 'de' });
 * ```
 */
export const withToolContext = (
  options: ToolCallingOptions,
  values: JsonObject | ToolCallContext,
): ToolCallingOptions =>
  Object.freeze({ ...options, toolContext: options.toolContext.merge(ToolCallContext.of(values)) });

/**
 * Merges default options with those of a request. Tools, names and context merge as in the functions below.
 * Other options come from the request, or from the defaults if the request omits them.
 *
 * @example
 * ```ts
 * const merged = mergeToolCallingOptions({ toolContext: { tenant: 'acme' } }, { tools: [findOrder] });
 * ```
 */
export function mergeToolCallingOptions(
  runtime: ToolCallingConfig,
  defaults: ToolCallingConfig,
): ToolCallingOptions {
  const said = Object.entries(runtime).filter(([, value]) => value !== undefined && value !== null);
  return defineToolCallingOptions({
    ...defaults,
    ...Object.fromEntries(said),
    tools: mergeTools(runtime.tools, defaults.tools),
    toolNames: mergeToolNames(runtime.toolNames, defaults.toolNames),
    toolContext: mergeToolContext(runtime.toolContext, defaults.toolContext),
  });
}

/** Copies the names of the request, or the default names if it has none. */
export const mergeToolNames = (
  runtime: readonly string[] | undefined,
  defaults: readonly string[] | undefined,
): readonly string[] => getValuesOrDefaults(runtime, defaults);

/** Copies the tools of the request, or the default tools if it has none. */
export const mergeTools = (
  runtime: readonly AnyTool[] | undefined,
  defaults: readonly AnyTool[] | undefined,
): readonly AnyTool[] => getValuesOrDefaults(runtime, defaults);

/** Merges both contexts. The values of the request take precedence. */
export const mergeToolContext = (
  runtime: ToolCallingConfig['toolContext'],
  defaults: ToolCallingConfig['toolContext'],
): ToolCallContext => ToolCallContext.of(defaults ?? {}).merge(ToolCallContext.of(runtime ?? {}));

const getValuesOrDefaults = <T>(
  runtime: readonly T[] | undefined,
  defaults: readonly T[] = [],
): readonly T[] => [...(runtime?.length ? runtime : defaults)];

/**
 * Returns whether the code that calls the model also runs its tool calls: `true` if the options do not set
 * `false`. Options of another type do not affect it.
 *
 * @throws TypeError if there are no options.
 */
export function isInternalToolExecutionEnabled(options: object): boolean {
  if (options === null || options === undefined) throw new TypeError('The options are missing.');
  return !('internalToolExecutionEnabled' in options) || options.internalToolExecutionEnabled !== false;
}

/**
 * Checks that each tool has a unique name.
 *
 * @throws ToolCallingError that lists every duplicate name.
 */
export function validateTools(tools: readonly AnyTool[]): void {
  const names = tools.map(({ name }) => name);
  const shared = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (shared.length === 0) return;
  const message = `Multiple tools with the same name (${shared.join(', ')}) found in ToolCallingOptions`;
  throw new ToolCallingError('duplicate-tools', message, shared);
}

function assertNoMissing(property: string, list: readonly unknown[]): void {
  const index = list.findIndex((item) => item === null || item === undefined);
  if (index >= 0) throw new TypeError(`ToolCallingOptions: ${property}[${index}] is ${list[index]}.`);
}

/** The kind of a mistake in options or a reply. */
export type ToolCallingProblem = 'duplicate-tools' | 'unknown-tool' | 'no-tool-call';

/** Thrown to the program if options or a reply are invalid. Never shown to a model. */
export class ToolCallingError extends Error {
  override readonly name = 'ToolCallingError';
  readonly problem: ToolCallingProblem;
  /** The names of the affected tools. */
  readonly tools: readonly string[];

  constructor(problem: ToolCallingProblem, message: string, tools: readonly string[] = []) {
    super(message);
    this.problem = problem;
    this.tools = tools;
  }
}
