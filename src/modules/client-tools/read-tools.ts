/** Reads the tools that a client declares. The input is untrusted. */
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { createInvalidBodyError } from '../../worker/body.ts';
import { mapSchemas } from '../json-schema/change-schema.ts';
import { findFault, pickCheckedKeywords } from '../json-schema/untrusted-schema.ts';
import type { DeclaredTool } from './declared.ts';

/** The maximum numbers of client tools in one turn, and of characters in their JSON. */
const MAX_TOOLS = 64;
const MAX_CHARACTERS = 64 * 1024;

/** The maximum nesting depth of a schema. */
const MAX_DEPTH = 100;

export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/**
 * Returns the tools in the form that a turn stores. Omits tools whose names are in `without`.
 *
 * @throws SessionError with the reason if a tool cannot be offered.
 */
export function readTools(tools: readonly DeclaredTool[], without: readonly unknown[] = []): ClientTool[] {
  if (tools.length > MAX_TOOLS) throw createInvalidToolError('tools', `must be at most ${MAX_TOOLS}`);
  const names = new Set<unknown>();
  const read = tools.flatMap((tool, place) => {
    if (without.includes(tool.name)) return [];
    if (names.has(tool.name))
      throw createInvalidToolError(`tools[${place}].name`, 'must not be that of an earlier tool');
    names.add(tool.name);
    return readTool(tool, `tools[${place}]`);
  });
  if (JSON.stringify(read).length <= MAX_CHARACTERS) return read;
  throw createInvalidToolError('tools', `must have at most ${MAX_CHARACTERS} characters as JSON`);
}

function readTool({ name, description, parameters }: DeclaredTool, at: string): ClientTool {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw createInvalidToolError(`${at}.name`, 'must be 1 to 64 of the characters A-Z a-z 0-9 _ -');
  if (typeof (description ?? '') !== 'string')
    throw createInvalidToolError(`${at}.description`, 'must be text');
  const fault = findSchemaProblem(parameters);
  if (fault !== undefined) throw createInvalidToolError(`${at}.parameters`, `must be a JSON Schema ${fault}`);
  // Some clients send only a name, and providers reject tools without a description.
  const described = String(description ?? '').trim() || `Runs '${name}' at the client.`;
  const { $schema: _, ...schema } = isJsonObject(parameters) ? parameters : {};
  return { name, description: described, parameters: { ...schema, type: 'object' } };
}

const createInvalidToolError = (at: string, problem: string) => createInvalidBodyError([`${at}: ${problem}`]);

/**
 * Returns the problem of a schema, or `undefined`. A missing schema counts as the schema of an empty object.
 */
function findSchemaProblem(parameters: unknown): string | undefined {
  if (parameters === undefined || parameters === null) return undefined;
  if (!isJsonObject(parameters) || (parameters.type ?? 'object') !== 'object') return 'of an object';
  if (isTooDeep(parameters, MAX_DEPTH)) return 'that is nested less deeply';
  // The client can use keywords that the Worker does not check.
  const checked = mapSchemas(parameters, pickCheckedKeywords);
  return isJsonObject(checked) ? findFault(checked) : undefined;
}

const isTooDeep = (value: Json | undefined, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isTooDeep(one, left - 1)));

/**
 * Reads the stored tools. An app can let clients write the key directly, so an invalid list returns no tools.
 */
export function readStoredTools(kept: Json | undefined): readonly ClientTool[] {
  if (!Array.isArray(kept)) return [];
  const read = attempt(() => readTools(kept.map((tool) => (isJsonObject(tool) ? tool : {}))));
  return read.ok ? read.value : [];
}
