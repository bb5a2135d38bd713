import { isJsonObject, type Json, type JsonObject, own } from '../../tool/json.ts';

/** Codes of errors (JSON-RPC 2.0, section 5.1), and some of MCP's own since 2026-07-28. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The headers of the request say something else than its body. */
  headerMismatch: -32020,
  /** The request needs something of its client that this has not declared. */
  missingCapability: -32021,
} as const;

/**
 * Answers a JSON-RPC request that was not carried out. It is of neither SDK: a Worker may have only one of them.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** What a program can read of it. */
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Says that the request cannot be carried out as it is: its sender has to change it. */
export const invalidParams = (message: string): RpcError => new RpcError(RPC_CODE.invalidParams, message);

/** Tells no more than that: what failed is in the log. */
export const failedInside = (): RpcError =>
  new RpcError(RPC_CODE.internalError, 'The request failed inside the Worker. What was accepted is kept.');

/**
 * The key of `_meta` that names a call for whoever deduplicates. Our clients send `call.idempotencyKey` under it, and our
 * endpoint knows a retry by it. MCP itself has none: a call that is sent again is another call.
 */
export const IDEMPOTENCY_KEY = 'holdfast/idempotency-key';

/** The keyword by which a property of an input says that its value is sent as a header too (SEP-2243). */
const KEYWORD = 'x-mcp-header';

/** A property whose value is sent as a header too, by the name that stands behind `mcp-param-`. */
interface Repeated {
  readonly path: readonly string[];
  readonly header: string;
  readonly type: Json | undefined;
}

/** What a schema declares along its properties: nowhere else does the protocol allow it. What can be no header's name is left out. */
export const repeatedIn = (schema: unknown, path: readonly string[] = []): readonly Repeated[] =>
  propertiesOf(schema).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const [header, here] = [own(property, KEYWORD), [...path, key]];
    const repeated = isHeader(header) ? [{ path: here, header, type: property.type }] : [];
    return [...repeated, ...repeatedIn(property, here)];
  });

function propertiesOf(schema: unknown): readonly (readonly [string, Json])[] {
  const properties = isJsonObject(schema) ? schema.properties : undefined;
  return isJsonObject(properties) ? Object.entries(properties) : [];
}

/** What is at a path of an input. */
export const valueAt = (input: JsonObject, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? own(at, key) : undefined), input);

/** What a header's name is made of (RFC 9110, Tokens). */
const isHeader = (name: unknown): name is string =>
  typeof name === 'string' && /^[\w!#$%&'*+\-.^`|~]{1,200}$/.test(name);

/** A number may be written in more ways than one, so it is none. */
const SCALARS: readonly unknown[] = ['string', 'integer', 'boolean'];

/** One thing that is wrong with the headers that a schema asks for. */
export interface HeaderFault {
  /** Where the keyword stands: names of properties, and keywords elsewhere. */
  readonly path: readonly string[];
  readonly header: Json;
  /** `place`: it is of no property; `name`: it can be no header's; `type`: it is of no scalar; `twice`: another property has it. */
  readonly kind: 'place' | 'name' | 'type' | 'twice';
}

/** A place of a schema: values are always found at a property, if at all, and elsewhere by what the rest of them is. */
interface Place {
  readonly of: 'root' | 'property' | 'elsewhere';
  readonly path: readonly string[];
}

/** Finds the first header that cannot be sent. A tool with such a one is not used (MCP specification, Custom Headers from Tool Parameters). */
export function headerFault(schema: unknown): HeaderFault | undefined {
  const names = new Set<string>();
  const visit = (at: unknown, { of, path }: Place): HeaderFault | undefined => {
    if (Array.isArray(at))
      return firstOf<unknown, HeaderFault>(at, (one) => visit(one, { of: 'elsewhere', path }));
    if (!isJsonObject(at)) return undefined;
    const inside = ([keyword, inner]: readonly [string, Json]): HeaderFault | undefined => {
      if (VALUES.has(keyword)) return undefined;
      if (!MAPS.has(keyword) || !isJsonObject(inner))
        return visit(inner, { of: 'elsewhere', path: [...path, keyword] });
      const within = keyword === 'properties' && of !== 'elsewhere' ? 'property' : 'elsewhere';
      return firstOf(Object.entries(inner), ([name, one]) =>
        visit(one, { of: within, path: [...path, name] }),
      );
    };
    return faultAt(at, { of, path }, names) ?? firstOf(Object.entries(at), inside);
  };
  return visit(schema, { of: 'root', path: [] });
}

function faultAt(at: JsonObject, { of, path }: Place, names: Set<string>): HeaderFault | undefined {
  const header = own(at, KEYWORD);
  if (header === undefined) return undefined;
  if (of !== 'property') return { path, header, kind: 'place' };
  if (!isHeader(header)) return { path, header, kind: 'name' };
  if (!SCALARS.includes(at.type)) return { path, header, kind: 'type' };
  const before = names.size;
  return names.add(header.toLowerCase()).size === before ? { path, header, kind: 'twice' } : undefined;
}

/** Keywords that hold schemas by names which are none of a keyword. */
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Keywords that hold values. */
const VALUES = new Set([KEYWORD, 'const', 'enum', 'default', 'examples']);

function firstOf<One, Found>(list: readonly One[], find: (one: One) => Found | undefined): Found | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
