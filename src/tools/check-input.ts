import type { InputSchema } from './input-schema.ts';
import type { JsonObject } from './json.ts';
import { shorten } from './json-text.ts';
import { error } from './results.ts';
import { failure, type ToolResult } from './tool-result.ts';

/** The input that `run` is given, or what the model is answered instead. */
export type CheckedInput<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      readonly answer: ToolResult;
      /** What the answer lists; absent when the schema itself failed. */
      readonly problems?: readonly string[] | undefined;
    };

/**
 * Checks the input of a call before anything else is done. Bad input is answered with every problem at once, so that
 * the model can correct all of them in one go (TYP-10). Never rejects.
 */
export async function checkInput<Value>(
  schema: InputSchema<Value>,
  input: JsonObject,
  tool: string,
): Promise<CheckedInput<Value>> {
  try {
    const parsed = await schema.parse(input);
    return parsed.ok ? parsed : invalidInput(tool, parsed.problems);
  } catch (cause) {
    // The schema's own code failed. That must not end the turn, and it says nothing about the input.
    const reason = shorten(cause instanceof Error ? cause.message : String(cause), 240);
    return {
      ok: false,
      answer: error(`Tool '${tool}' did not run: its input could not be checked: ${reason}`),
    };
  }
}

/** The answer to an input with these problems. */
export const invalidInput = (tool: string, problems: readonly string[]): CheckedInput<never> => ({
  ok: false,
  problems,
  answer: failure(
    'invalid-input',
    `The input of tool '${tool}' is not valid:\n- ${problems.join('\n- ')}\nCall it again with a corrected input.`,
  ),
});
