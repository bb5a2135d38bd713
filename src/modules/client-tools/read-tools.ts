/** Reads tools that a client declares, which may be anything. */
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { invalidBody } from '../../worker/body.ts';
import { changedIn } from '../json-schema/change-schema.ts';
import { checkedPart, faultIn } from '../json-schema/untrusted-schema.ts';
import type { DeclaredTool } from './declared.ts';

/** The most tools of a client in one turn, and the most characters that they have as JSON. */
const MAX_TOOLS = 64;
const MAX_CHARACTERS = 64 * 1024;

/** A schema that is nested deeper is refused. */
const MAX_DEPTH = 100;

/** A tool of a client, checked. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of an object. */
  readonly parameters: JsonObject;
}

/**
 * Reads tools as a turn keeps them, without those that have one of the names.
 *
 * @throws SessionError that says what cannot be offered.
 */
export function readTools(tools: readonly DeclaredTool[], without: readonly unknown[] = []): ClientTool[] {
  if (tools.length > MAX_TOOLS) throw invalid('tools', `must be at most ${MAX_TOOLS}`);
  const names = new Set<unknown>();
  const read = tools.flatMap((tool, place) => {
    if (without.includes(tool.name)) return [];
    if (names.has(tool.name)) throw invalid(`tools[${place}].name`, 'must not be that of a tool before it');
    names.add(tool.name);
    return readTool(tool, `tools[${place}]`);
  });
  if (JSON.stringify(read).length <= MAX_CHARACTERS) return read;
  throw invalid('tools', `must have at most ${MAX_CHARACTERS} characters as JSON`);
}

function readTool({ name, description, parameters }: DeclaredTool, at: string): ClientTool {
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(name))
    throw invalid(`${at}.name`, 'must be 1 to 64 of the characters A-Z a-z 0-9 _ -');
  if (typeof (description ?? '') !== 'string') throw invalid(`${at}.description`, 'must be text');
  const fault = faultOf(parameters);
  if (fault !== undefined) throw invalid(`${at}.parameters`, `must be a JSON Schema ${fault}`);
  // Some clients describe a tool by its name alone, which providers refuse.
  const described = String(description ?? '').trim() || `Runs '${name}' at the client.`;
  const { $schema: _, ...schema } = isJsonObject(parameters) ? parameters : {};
  return { name, description: described, parameters: { ...schema, type: 'object' } };
}

const invalid = (at: string, problem: string) => invalidBody([`${at}: ${problem}`]);

/** Returns what is wrong with a schema; one that says nothing is of an empty object. */
function faultOf(parameters: unknown): string | undefined {
  if (parameters === undefined || parameters === null) return undefined;
  if (!isJsonObject(parameters) || (parameters.type ?? 'object') !== 'object') return 'of an object';
  if (isDeep(parameters, MAX_DEPTH)) return 'that is nested less deeply';
  // What the Worker does not check the client may.
  const checked = changedIn(parameters, checkedPart);
  return isJsonObject(checked) ? faultIn(checked) : undefined;
}

const isDeep = (value: Json | undefined, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)));

/** Reads back what `readTools` has made. An app may let clients write the key, so that what cannot be offered is none. */
export function toolsIn(kept: Json | undefined): readonly ClientTool[] {
  if (!Array.isArray(kept)) return [];
  const read = attempt(() => readTools(kept.map((tool) => (isJsonObject(tool) ? tool : {}))));
  return read.ok ? read.value : [];
}
