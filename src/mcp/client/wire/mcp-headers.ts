import { type JSONRPCRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client';
import { toBase64 } from '../../../tool/base64.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../../tool/json.ts';

/** Where a request says what its `mcp-name` is (MCP specification, Standard Request Headers). */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The headers that repeat what a request of the revision without sessions says; none for a request of an older one. */
export function standardHeaders({ method, params }: JSONRPCRequest): Record<string, string> {
  const version = params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (typeof version !== 'string') return {};
  const name: unknown = params?.[NAMED_BY[method] ?? ''];
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encoded(name) }),
  };
}

/** The keyword by which a property of an input says that its value is sent as a header too (SEP-2243). */
const KEYWORD = 'x-mcp-header';

/** A property whose value is sent as a header too. */
interface Mirrored {
  readonly path: readonly string[];
  readonly name: string;
}

/**
 * The headers that repeat parts of a tool's input, as its schema asks for; a value that is absent, `null` or no scalar has none. A name
 * that no header can have is left out: the schema may have been listed where nothing was sent by it.
 */
export function paramHeaders(schema: JsonObject, input: JsonObject): Record<string, string> {
  const headers = mirroredIn(schema, []).flatMap(({ path, name }) => {
    const value = path.reduce<Json | undefined>(
      (at, key) => (isJsonObject(at) ? own(at, key) : undefined),
      input,
    );
    const isSent = ['string', 'boolean'].includes(typeof value) || Number.isSafeInteger(value);
    return isSent ? [[`mcp-param-${name}`, encoded(String(value))] as const] : [];
  });
  return Object.fromEntries(headers);
}

const mirroredIn = ({ properties }: JsonObject, path: readonly string[]): readonly Mirrored[] =>
  Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const [name, here] = [property[KEYWORD], [...path, key]];
    const isName = typeof name === 'string' && TOKEN.test(name);
    return [...(isName ? [{ path: here, name }] : []), ...mirroredIn(property, here)];
  });

/** What a header's name is made of (RFC 9110, Tokens). */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]{1,200}$/;
/** A number may be written in more ways than one, so it is none. */
const SCALARS: readonly unknown[] = ['string', 'integer', 'boolean'];

/** A place of a schema: values are always found at a property, if at all, and elsewhere by what the rest of them is. */
type Place = 'root' | 'property' | 'elsewhere';

/**
 * Says what is wrong with the headers that a tool's input asks for, to complete "'x' ..."; `undefined` when nothing is. Such a
 * tool is not used (MCP specification, Custom Headers from Tool Parameters).
 */
export function headerFault(schema: JsonObject): string | undefined {
  const names = new Set<string>();
  const visit = (at: Json, place: Place): string | undefined => {
    if (Array.isArray(at)) return firstOf(at, (one) => visit(one, 'elsewhere'));
    if (!isJsonObject(at)) return undefined;
    const inside = ([keyword, inner]: readonly [string, Json]): string | undefined => {
      if (VALUES.has(keyword)) return undefined;
      if (!MAPS.has(keyword) || !isJsonObject(inner)) return visit(inner, 'elsewhere');
      const within = keyword === 'properties' && place !== 'elsewhere' ? 'property' : 'elsewhere';
      return firstOf(Object.values(inner), (one) => visit(one, within));
    };
    return faultAt(at, place, names) ?? firstOf(Object.entries(at), inside);
  };
  return visit(schema, 'root');
}

function faultAt(at: JsonObject, place: Place, names: Set<string>): string | undefined {
  const name = own(at, KEYWORD);
  if (name === undefined) return undefined;
  if (place !== 'property') return 'asks for a header of what is no property of its input';
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'asks for a header by a name that none can have';
  if (!SCALARS.includes(at.type)) return 'asks for a header of what is no text, integer or boolean';
  const before = names.size;
  return names.add(name.toLowerCase()).size === before ? 'asks for two headers of one name' : undefined;
}

/** Keywords that hold schemas by names which are none of a keyword. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Keywords that hold values. */
const VALUES = new Set([KEYWORD, 'const', 'enum', 'default', 'examples']);

function firstOf<One>(list: readonly One[], fault: (one: One) => string | undefined): string | undefined {
  for (const one of list) {
    const found = fault(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Writes a value as a header can hold it: as it is, or in base64 between marks (MCP specification, Value Encoding). */
function encoded(value: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${toBase64(new TextEncoder().encode(value))}?=`;
}
