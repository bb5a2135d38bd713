import { copyJson } from './copy-json.ts';
import {
  type InputDeclaration,
  type InputOf,
  type InputSchema,
  InputSchemaError,
  toInputSchema,
} from './input-schema.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { ToolDefinitionError } from './tool-definition-error.ts';

const MAX_NAME = 64;

/** @throws ToolDefinitionError when some provider would refuse the name, or the description is blank (AEV-02). */
export function checkNaming(name: string, description: string): void {
  if (name.trim() === '') throw new ToolDefinitionError(name, 'name', 'its name is blank.');
  if (name.length > MAX_NAME) {
    throw new ToolDefinitionError(name, 'name', `its name is longer than ${MAX_NAME} characters.`);
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    throw new ToolDefinitionError(name, 'name', "its name may hold only A-Z, a-z, 0-9, '_' and '-'.");
  }
  if (description.trim() === '') {
    throw new ToolDefinitionError(
      name,
      'description',
      'its description is blank; the model chooses tools by it.',
    );
  }
}

/** What other libraries call the parts of a tool. */
const FOREIGN_WORDS = [
  ['execute', 'run'],
  ['parameters', 'input'],
  ['inputSchema', 'input'],
] as const;

/**
 * @throws ToolDefinitionError when a word of another library stands in place of one of ours. It would be passed over: the
 *   tool would be left to the caller to run, or take no input.
 */
export function checkNoForeignWord(config: { readonly name: string }): void {
  for (const [theirs, ours] of FOREIGN_WORDS) {
    if (Reflect.get(config, theirs) === undefined || Reflect.get(config, ours) !== undefined) continue;
    throw new ToolDefinitionError(
      config.name,
      theirs,
      `it has '${theirs}' in place of '${ours}'; rename it.`,
    );
  }
}

/** `toInputSchema` for the tool of this name. @throws ToolDefinitionError when it cannot be a tool's input. */
export function readInput<Declaration extends InputDeclaration>(
  tool: string,
  declared: Declaration | undefined,
): InputSchema<InputOf<Declaration>> {
  try {
    return toInputSchema<Declaration>(declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    throw new ToolDefinitionError(tool, 'input', cause.message, { cause });
  }
}

/** A copy of the metadata for the tool of this name. @throws ToolDefinitionError when it is not JSON. */
export function readMetadata(tool: string, metadata: JsonObject): JsonObject {
  const copy = copyJson(metadata);
  if (copy.ok && isJsonObject(copy.value)) return copy.value;
  const { path, what } = copy.ok ? { path: '$', what: 'not an object' } : copy.problem;
  const problem = `its metadata is not JSON: the value at \`${path}\` is ${what}.`;
  throw new ToolDefinitionError(tool, 'metadata', problem);
}
