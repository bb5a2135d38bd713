import type { JsonObject, JsonSchema } from '../../tool/json.ts';
import { problemLines } from '../../tool/problem-lines.ts';
import { jsonSchemaCheck } from '../json-schema/check.ts';

/**
 * Returns what is wrong with the input of an edit, a line each, by the JSON Schema of its question. It is checked before anything is
 * consumed, so that a slip can be corrected.
 */
export function editLines(schema: JsonSchema, input: JsonObject): readonly string[] {
  try {
    const problems = jsonSchemaCheck(structuredClone(schema))(input);
    return problemLines(problems.map(({ path, message }) => ({ path: ['input', ...path], message })));
  } catch {
    return ['input: cannot be checked: a name in it is not valid text, or it is nested too deeply'];
  }
}
