import { getOwn, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';

/** Error codes of JSON-RPC 2.0 (section 5.1), and those of MCP since 2026-07-28. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The headers contradict the body of the request. */
  headerMismatch: -32020,
  /** The request needs a capability that the client has not declared. */
  missingCapability: -32021,
} as const;

/**
 * An error response to a JSON-RPC request that did not run. It uses no SDK package, because a Worker may have
 * only one of the two.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** Machine-readable details. */
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Creates the error for a request that its sender must change. */
export const createInvalidParamsError = (message: string): RpcError =>
  new RpcError(RPC_CODE.invalidParams, message);

/** Creates an error without details, which are only in the log. */
export const createInternalRpcError = (): RpcError =>
  new RpcError(
    RPC_CODE.internalError,
    'The request failed. The log of the Worker shows why. Accepted messages are kept.',
  );

/**
 * The `_meta` key for a call's deduplication key. Our clients send `call.idempotencyKey` under it, and our
 * endpoint recognizes a retry by it. MCP itself defines no such key, so it treats a repeated call as a new
 * one.
 */
export const IDEMPOTENCY_KEY = 'holdfast/idempotency-key';

/** The schema keyword that marks a property whose value is also sent as a header (SEP-2243). */
const HEADER_KEYWORD = 'x-mcp-header';

/** A property whose value is also sent as a header. The header's name follows `mcp-param-`. */
interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
  readonly type: Json | undefined;
}

/**
 * Returns the header declarations in a schema's properties, the only place that the protocol allows. Skips
 * invalid header names.
 */
export const findHeaderParameters = (
  schema: unknown,
  path: readonly string[] = [],
): readonly HeaderParameter[] =>
  listProperties(schema).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const [header, here] = [getOwn(property, HEADER_KEYWORD), [...path, key]];
    const repeated = isHeader(header) ? [{ path: here, header, type: property.type }] : [];
    return [...repeated, ...findHeaderParameters(property, here)];
  });

function listProperties(schema: unknown): readonly (readonly [string, Json])[] {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** Returns the value at a path of an input. */
export const findValue = (input: JsonObject, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? getOwn(at, key) : undefined), input);

/** Returns whether a value is a valid header name (RFC 9110, Tokens). */
const isHeader = (name: unknown): name is string =>
  typeof name === 'string' && /^[\w!#$%&'*+\-.^`|~]{1,200}$/.test(name);

/** The types of values for headers. A number is excluded, because it has several notations. */
const HEADER_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** A problem with the headers that a schema declares. */
export interface HeaderFault {
  /** The path of the keyword: property names and schema keywords. */
  readonly path: readonly string[];
  readonly header: Json;
  /**
   * `place`: outside a property. `name`: an invalid header name. `type`: not a scalar. `twice`: already used
   * by another property.
   */
  readonly kind: 'place' | 'name' | 'type' | 'twice';
}

/**
 * A place in a schema. Only values reached through properties have a fixed path. The path of any other value
 * depends on the input.
 */
interface SchemaPlace {
  readonly of: 'root' | 'property' | 'elsewhere';
  readonly path: readonly string[];
}

/**
 * Returns the first header that cannot be sent. A tool with one is not used (MCP specification, Custom
 * Headers from Tool Parameters).
 */
export function findHeaderFault(schema: unknown): HeaderFault | undefined {
  const names = new Set<string>();
  const visit = (at: unknown, { of, path }: SchemaPlace): HeaderFault | undefined => {
    if (Array.isArray(at))
      return findFirst<unknown, HeaderFault>(at, (one) => visit(one, { of: 'elsewhere', path }));
    if (!isJsonObject(at)) return undefined;
    const visitKeyword = ([keyword, inner]: readonly [string, Json]): HeaderFault | undefined => {
      if (DATA_KEYWORDS.has(keyword)) return undefined;
      if (!MAP_KEYWORDS.has(keyword) || !isJsonObject(inner))
        return visit(inner, { of: 'elsewhere', path: [...path, keyword] });
      const within = keyword === 'properties' && of !== 'elsewhere' ? 'property' : 'elsewhere';
      return findFirst(Object.entries(inner), ([name, one]) =>
        visit(one, { of: within, path: [...path, name] }),
      );
    };
    return findFault(at, { of, path }, names) ?? findFirst(Object.entries(at), visitKeyword);
  };
  return visit(schema, { of: 'root', path: [] });
}

function findFault(at: JsonObject, { of, path }: SchemaPlace, names: Set<string>): HeaderFault | undefined {
  const header = getOwn(at, HEADER_KEYWORD);
  if (header === undefined) return undefined;
  if (of !== 'property') return { path, header, kind: 'place' };
  if (!isHeader(header)) return { path, header, kind: 'name' };
  if (!HEADER_TYPES.includes(at.type)) return { path, header, kind: 'type' };
  const before = names.size;
  return names.add(header.toLowerCase()).size === before ? { path, header, kind: 'twice' } : undefined;
}

/** Keywords whose values map arbitrary names to schemas. */
const MAP_KEYWORDS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set([HEADER_KEYWORD, 'const', 'enum', 'default', 'examples']);

function findFirst<One, Found>(
  list: readonly One[],
  find: (one: One) => Found | undefined,
): Found | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
