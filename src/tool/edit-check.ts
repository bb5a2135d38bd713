import type { JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';
import { defineSeam, type ModuleUse } from './module-use.ts';
import { type Problem, problemLines } from './problem-lines.ts';

/** The seam `edits`: returns what is wrong with an input by a JSON Schema; an empty list if it is valid. The first use that has it is asked. */
export const EDITS = defineSeam<(schema: JsonSchema, input: JsonObject) => readonly Problem[]>();

/** The input of an edit, and the schema of its question. */
interface SentEdit {
  readonly schema: JsonSchema;
  readonly input: JsonObject;
  /** Whoever asks looks at it, and asks again. */
  readonly mayBeUnchecked?: boolean | undefined;
}

/**
 * What is wrong with the input of an edit, a line each. It is checked before anything is consumed, so that a slip can be corrected; where no
 * module checks it, it is taken only by whoever looks at it.
 */
export function editLines(
  uses: readonly ModuleUse[],
  { schema, input, mayBeUnchecked = false }: SentEdit,
): readonly string[] {
  const check = uses.map((use) => EDITS.of(use)).find((one) => one !== undefined);
  if (!check) return mayBeUnchecked ? [] : [UNCHECKED];
  try {
    const problems = check(structuredClone(schema), input);
    return problemLines(problems.map(({ path, message }) => ({ path: ['input', ...path], message })));
  } catch {
    return ['input: cannot be checked: a name in it is not valid text, or it is nested too deeply'];
  }
}

/** The question was asked by another version of the app. */
const UNCHECKED = 'input: this version of the app cannot check it; approve or reject instead';
