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
  if (!use) return;
  const said = String(given);
  const meant = meantBy(said, words);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  throw new ToolDefinitionError(tool, field, `its ${field} is '${said}'; it must be ${use}.${hint}`);
}

/** The word that begins as this one does, but for its case. */
export const meantBy = (given: string, words: readonly string[]): string | undefined =>
  words.find((word) => given.trim().toLowerCase().startsWith(word.slice(0, 3)));
