import { notOneOf } from './not-one-of.ts';
import { ToolDefinitionError } from './tool-definition-error.ts';

/** @throws ToolDefinitionError when a setting of a tool is none of its words; plain JavaScript may hand over anything. */
export function checkWord(
  tool: string,
  field: string,
  given: string | undefined,
  words: readonly string[],
): void {
  const use = given === undefined ? undefined : notOneOf(given, words);
  if (use) throw new ToolDefinitionError(tool, field, `its ${field} is '${given}'; it must be ${use}.`);
}
