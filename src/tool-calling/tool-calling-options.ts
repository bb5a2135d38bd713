import type { OutputFormat } from '../model/chat-model.ts';
import type { JsonObject } from '../tool/json.ts';
import type { AnyTool } from '../tool/tool.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { validateTools } from './validate-tools.ts';

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
  /** What an answer in words must be (SPA-10). */
  readonly output?: OutputFormat | undefined;
}

/** Options of one request with tools. Never mutated: copies with changes are made by merging (SPA-01, SPA-07). */
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
 * @throws ToolCallingError when two tools share a name; TypeError when a list holds something that is not there.
 */
export function defineToolCallingOptions(config: ToolCallingConfig = {}): ToolCallingOptions {
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

/** The options with more values in their context; one that is given again replaces the former (SPA-07). */
export const withToolContext = (
  options: ToolCallingOptions,
  values: JsonObject | ToolCallContext,
): ToolCallingOptions =>
  Object.freeze({ ...options, toolContext: options.toolContext.merge(ToolCallContext.of(values)) });

function present(property: string, list: readonly unknown[]): void {
  const index = list.findIndex((item) => item === null || item === undefined);
  if (index >= 0) throw new TypeError(`ToolCallingOptions: ${property}[${index}] is ${list[index]}.`);
}
