import { ToolDefinitionError } from './check-definition.ts';
import { parseToolInput } from './check-input.ts';
import { defineTool, type ToolConfig } from './define-tool.ts';
import { type LenientSchema, lenientSchema, oneString } from './input-schema.ts';
import type { JsonObject } from './json.ts';
import type { Inferred, ReturnsJson } from './returned.ts';
import type { Tool } from './tool.ts';

/** The literal that `defineTextTool` takes: that of `defineTool`, without an input. */
export type TextToolConfig<Name extends string, Output> = ToolConfig<Name, LenientSchema<string>, Output> & {
  readonly input?: undefined;
};

/**
 * Makes a tool whose `run` is given text. The model is shown one string, `input`. Whatever it sends reaches
 * `run`: the raw text when that is no JSON object or has no `input`, JSON text for an `input` that is no string, and
 * the empty text for `null`.
 *
 * @throws ToolDefinitionError when the tool cannot work.
 *
 * @example
 * ```ts
 * const countWords = defineTextTool({
 *   name: 'count_words',
 *   description: 'Count the words of a text.',
 *   effect: 'read',
 *   run: (text) => text.split(/\s+/).length,
 * });
 * ```
 */
export function defineTextTool<const Name extends string, Output = unknown>(
  config: TextToolConfig<Name, Output> & ReturnsJson<Inferred<Output>>,
): Tool<Name, string, Output> {
  const declared = INPUT_WORDS.find((word) => Reflect.get(config, word) !== undefined);
  if (declared !== undefined) {
    const problem = `it has '${declared}', but a text tool is given one text and nothing else; use defineTool.`;
    throw new ToolDefinitionError(config.name, declared, problem);
  }
  const withInput: ToolConfig<Name, LenientSchema<string>, Output> = { ...config, input: textInput };
  return { ...defineTool(withInput), readInput };
}

/** How plain JavaScript might declare an input that a text tool does not have. */
const INPUT_WORDS = ['input', 'parameters', 'inputSchema'];

/** The input of a text tool. */
export const toTextInput = (input: string): JsonObject => ({ input });

const textInput = lenientSchema(oneString('input', 'The input to pass to the tool'), toText);

function readInput(raw: string): JsonObject {
  const parsed = parseToolInput('', raw);
  return parsed.ok && Object.hasOwn(parsed.input, 'input') ? parsed.input : toTextInput(raw);
}

function toText(sent: JsonObject): string {
  const input = Object.hasOwn(sent, 'input') ? sent.input : sent;
  if (typeof input === 'string') return input;
  return input === null ? '' : JSON.stringify(input);
}
