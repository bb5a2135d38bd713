import type { OutputFormat } from '../../model/chat-model.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { JsonObject } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { ended } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { ToolCallContext } from '../../tool/tool-call-context.ts';

/** How a model is asked. For whoever asks it: the manager hands none of it on. */
export interface ModelOptions {
  readonly model?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly topK?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** What an answer in words must be. */
  readonly output?: OutputFormat | undefined;
}

/** Options of one request with tools. Never mutated: copies with changes are made by merging. */
export interface ToolCallingOptions extends ModelOptions {
  readonly tools: readonly AnyTool[];
  /** Names of more tools, which a manager's resolver knows. */
  readonly toolNames: readonly string[];
  /** `false`: the program calls the tools that the model asks for. Anything else: whoever asks the model does. */
  readonly internalToolExecutionEnabled?: boolean | null | undefined;
  /** Values beside the input, for every call. */
  readonly toolContext: ToolCallContext;
}

/** The literal that `defineToolCallingOptions` takes. */
export interface ToolCallingConfig extends ModelOptions {
  readonly tools?: readonly AnyTool[] | undefined;
  readonly toolNames?: readonly string[] | undefined;
  readonly internalToolExecutionEnabled?: boolean | null | undefined;
  readonly toolContext?: JsonObject | ToolCallContext | undefined;
}

/**
 * Makes options of one literal. Lists are copied and frozen; a name that is listed twice stands once.
 *
 * @throws ToolCallingError when two tools share a name; TypeError when a list holds something that is not there, or
 *   a key is not known.
 *
 * @example
 * ```ts
 * const options = defineToolCallingOptions({ tools: [findOrder], toolContext: { tenant: 'acme' } });
 * ```
 */
export function defineToolCallingOptions(config: ToolCallingConfig = {}): ToolCallingOptions {
  const problem = literals?.fault(config, SHAPE)?.problem;
  if (problem !== undefined) throw new TypeError(`ToolCallingOptions: it ${ended(problem)}`);
  const { tools = [], toolNames = [], toolContext = {}, stopSequences, ...more } = config;
  present('tools', tools);
  present('toolNames', toolNames);
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
 * Copies the options with more values in their context; one that is given again replaces the former.
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
 * Lays the options of a request over default ones: tools, names and context as below, and of the rest what the request
 * says.
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

/** Copies the names of the request, or the default ones when it has none. */
export const mergeToolNames = (
  runtime: readonly string[] | undefined,
  defaults: readonly string[] | undefined,
): readonly string[] => filledOf(runtime, defaults);

/** Copies the tools of the request, or the default ones when it has none. */
export const mergeTools = (
  runtime: readonly AnyTool[] | undefined,
  defaults: readonly AnyTool[] | undefined,
): readonly AnyTool[] => filledOf(runtime, defaults);

/** Joins the values of both contexts; the request's win. */
export const mergeToolContext = (
  runtime: ToolCallingConfig['toolContext'],
  defaults: ToolCallingConfig['toolContext'],
): ToolCallContext => ToolCallContext.of(defaults ?? {}).merge(ToolCallContext.of(runtime ?? {}));

const filledOf = <T>(runtime: readonly T[] | undefined, defaults: readonly T[] = []): readonly T[] => [
  ...(runtime?.length ? runtime : defaults),
];

/**
 * Tells whether whoever asks the model runs its tool calls too: yes, unless the options say `false`. Options of another
 * kind say nothing about it.
 *
 * @throws TypeError when there are no options.
 */
export function isInternalToolExecutionEnabled(options: object): boolean {
  if (options === null || options === undefined) throw new TypeError('There are no options to look into.');
  return !('internalToolExecutionEnabled' in options) || options.internalToolExecutionEnabled !== false;
}

/** Checks that each tool has a name of its own. @throws ToolCallingError that names every name which several of the tools have. */
export function validateTools(tools: readonly AnyTool[]): void {
  const names = tools.map(({ name }) => name);
  const shared = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (shared.length === 0) return;
  const message = `Multiple tools with the same name (${shared.join(', ')}) found in ToolCallingOptions`;
  throw new ToolCallingError('duplicate-tools', message, shared);
}

function present(property: string, list: readonly unknown[]): void {
  const index = list.findIndex((item) => item === null || item === undefined);
  if (index >= 0) throw new TypeError(`ToolCallingOptions: ${property}[${index}] is ${list[index]}.`);
}

/** What a program that calls tools by itself did wrong. */
export type ToolCallingProblem = 'duplicate-tools' | 'unknown-tool' | 'no-tool-call';

/** Options or a reply cannot be worked with; thrown to the program, never told to a model. */
export class ToolCallingError extends Error {
  override readonly name = 'ToolCallingError';
  readonly problem: ToolCallingProblem;
  /** The tools that it is about. */
  readonly tools: readonly string[];

  constructor(problem: ToolCallingProblem, message: string, tools: readonly string[] = []) {
    super(message);
    this.problem = problem;
    this.tools = tools;
  }
}
