/**
 * Finds pipeline steps that do not fit, because the declared output of one lacks inputs of the next. Runs in
 * development only: other files reach it through `literals.ts`.
 */
import { attempt } from './async.ts';
import { isJsonObject, type JsonSchema } from './json.ts';
import type { AnyTool } from './tool.ts';

/** A step of a pipeline, as checked here. */
interface DeclaredStep {
  readonly tool: AnyTool;
  readonly adapt?: unknown;
}

/**
 * Returns the schema of a tool's declared output. Throws if it has no JSON Schema, or if that is not an
 * object.
 */
type OutputReader = (output: NonNullable<AnyTool['output']>) => { readonly json: JsonSchema };

/**
 * Returns the first step that does not fit the one before it, or `undefined`. Undeclared outputs are not
 * checked.
 */
export function findMisfit(
  steps: readonly DeclaredStep[],
  readOutput: OutputReader,
): { readonly at: number; readonly problem: string } | undefined {
  for (const [index, { tool: next }] of steps.entries()) {
    const before = steps[index - 1];
    if (!before || before.adapt || next.readInput) continue;
    const problem = findMisfitProblem(before.tool, next, readOutput);
    if (problem !== undefined) return { at: index, problem };
  }
  return undefined;
}

function findMisfitProblem(before: AnyTool, next: AnyTool, readOutput: OutputReader): string | undefined {
  const schema = findOutputSchema(before, readOutput);
  if (!schema) return undefined;
  const { properties } = schema;
  if (!isJsonObject(properties)) return undefined;
  const { required } = next.inputSchema;
  const missing = (Array.isArray(required) ? required : []).find(
    (key) => !Object.hasOwn(properties, String(key)),
  );
  if (missing === undefined || isOpenObject(before.output, schema)) return undefined;
  const has =
    Object.keys(properties)
      .map((key) => `'${key}'`)
      .join(', ') || 'nothing';
  return (
    `its step '${next.name}' needs '${missing}', but '${before.name}' before it returns ${has}. Change one of them, or write ` +
    `{ tool: ${before.name}, adapt: (result) => ({ ${missing}: ... }) }.`
  );
}

/** Returns whether values can have additional properties. Valibot's JSON Schema does not show this. */
const isOpenObject = (output: unknown, { additionalProperties = false }: JsonSchema): boolean =>
  Object(output).type === 'loose_object' || additionalProperties !== false;

/** Returns the JSON Schema of a tool's declared output, if it is an object. */
function findOutputSchema({ output }: AnyTool, readOutput: OutputReader): JsonSchema | undefined {
  const read = attempt(() => output && readOutput(output).json);
  return read.ok ? read.value : undefined;
}
