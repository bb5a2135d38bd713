import type { Json, JsonObject } from '../../index.ts';
import { behind, isRecord, own } from './openapi.ts';

/** How deep a schema may nest, and how many parts it may have, until what is left is shown as anything. */
const MAX_DEPTH = 8;
const MAX_PARTS = 300;
/** A parameter is explained in a sentence or two; documents hold whole pages. */
const MAX_DESCRIPTION = 300;

/** Keywords whose values are copied as they are. */
const COPIED: readonly string[] = [
  ...['type', 'enum', 'const', 'default', 'minimum', 'maximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];

/** Formats that are checked here; OpenAPI has more, such as `int32`, which only the service checks. */
const FORMATS: readonly unknown[] = [
  ...['date', 'date-time', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6'],
  ...['uri', 'uri-reference', 'uri-template', 'uuid', 'regex', 'json-pointer'],
];

/** What one schema is made from. */
interface Source {
  readonly document: object;
  /** Parts that may still be written. */
  left: number;
}

/** Where a part stands. */
interface Place {
  readonly depth: number;
  /** The references around it: one of them again is a cycle. */
  readonly inside: readonly string[];
}

/**
 * A schema of an OpenAPI 3.0 or 3.1 document as plain JSON Schema that stands alone: references are replaced by what they
 * lead to, cycles and everything beyond a bound by a schema that takes anything, and what only a response holds is left out.
 */
export function toToolSchema(schema: unknown, document: object): JsonObject {
  return part(schema, { document, left: MAX_PARTS }, { depth: 0, inside: [] });
}

function part(schema: unknown, source: Source, { depth, inside }: Place): JsonObject {
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') {
    if (inside.includes(reference)) return anything(reference);
    return part(behind(source.document, schema), source, { depth, inside: [...inside, reference] });
  }
  if (!isRecord(schema)) return {};
  source.left -= 1;
  if (source.left < 0 || depth > MAX_DEPTH) return anything(inside.at(-1));
  const place = { depth: depth + 1, inside };
  return nullable(schema, {
    ...copied(schema),
    ...range(schema),
    ...described(schema),
    ...matched(schema),
    ...(FORMATS.includes(schema.format) && { format: String(schema.format) }),
    ...nested(schema, source, place),
  });
}

/** Says what was cut off, so that a model can still send it. */
function anything(reference: string | undefined): JsonObject {
  const name = reference?.split('/').at(-1);
  return name === undefined ? {} : { description: `Any ${name}.` };
}

const copied = (schema: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    COPIED.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] as Json]] : [])), // parsed from JSON
  );

/** OpenAPI 3.0 says by a flag that a bound is exclusive. */
function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Readonly<Record<string, unknown>>) {
  const lower = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const upper = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return {
    ...(typeof lower === 'number' && { exclusiveMinimum: lower }),
    ...(typeof upper === 'number' && { exclusiveMaximum: upper }),
  };
}

const described = ({ description }: Readonly<Record<string, unknown>>): JsonObject =>
  typeof description === 'string' && description.trim() !== '' ? { description: brief(description) } : {};

/** The first paragraph of a text, on one line, clipped. */
export function brief(text: string): string {
  const paragraph = (text.trim().split(/\n\s*\n/)[0] ?? '').replaceAll(/\s+/g, ' ');
  return paragraph.length > MAX_DESCRIPTION ? `${paragraph.slice(0, MAX_DESCRIPTION - 1)}…` : paragraph;
}

/** A pattern in another dialect than JavaScript's would be refused as a whole; the service checks it anyway. */
function matched({ pattern }: Readonly<Record<string, unknown>>): JsonObject {
  if (typeof pattern !== 'string') return {};
  try {
    new RegExp(pattern, 'u');
    return { pattern };
  } catch {
    return {};
  }
}

function nested(schema: Readonly<Record<string, unknown>>, source: Source, place: Place): JsonObject {
  const inner = (value: unknown): Json => (typeof value === 'boolean' ? value : part(value, source, place));
  const unions = ['oneOf', 'anyOf', 'allOf'].flatMap((key): [string, Json][] => {
    const branches = schema[key];
    return Array.isArray(branches) ? [[key, branches.map(inner)]] : [];
  });
  const single = ['items', 'additionalProperties', 'not'].flatMap((key): [string, Json][] =>
    schema[key] === undefined ? [] : [[key, inner(schema[key])]],
  );
  return { ...Object.fromEntries([...unions, ...single]), ...properties(schema, source, inner) };
}

function properties(
  { properties: declared, required }: Readonly<Record<string, unknown>>,
  { document }: Source,
  inner: (value: unknown) => Json,
): JsonObject {
  const wanted = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  if (!isRecord(declared)) return wanted.length > 0 ? { required: wanted } : {};
  const sent = Object.entries(declared).filter(
    ([, value]) => own(behind(document, value), 'readOnly') !== true,
  );
  const names = sent.map(([name]) => name);
  const kept = wanted.filter((name) => names.includes(name) || !Object.hasOwn(declared, name));
  return {
    properties: Object.fromEntries(sent.map(([name, value]) => [name, inner(value)])),
    ...(kept.length > 0 && { required: kept }),
  };
}

/** OpenAPI 3.0 says by a flag that `null` is taken as well. */
function nullable(schema: Readonly<Record<string, unknown>>, written: JsonObject): JsonObject {
  if (schema.nullable !== true) return written;
  const { type, enum: values, ...rest } = written;
  if (typeof type !== 'string') return { anyOf: [written, { type: 'null' }] };
  const choices = Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
  return { ...rest, type: [type, 'null'], ...(choices !== undefined && { enum: choices }) };
}
