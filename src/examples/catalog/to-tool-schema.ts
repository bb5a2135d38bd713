import type { Json, JsonObject } from '../../index.ts';
import { getOwn, isRecord, resolveReference } from './openapi.ts';

/** The maximum numbers of levels and parts in a schema. Deeper or later parts accept any value. */
const MAX_DEPTH = 8;
const MAX_PARTS = 300;
/** The maximum number of characters in a description, since some documents contain whole pages. */
const MAX_DESCRIPTION = 300;

/** Keywords whose values are copied unchanged. */
const COPIED_KEYWORDS: readonly string[] = [
  ...['type', 'enum', 'const', 'default', 'minimum', 'maximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'],
];

/** The formats that holdfast validates. Only the service checks other formats, such as `int32`. */
const FORMATS: readonly unknown[] = [
  ...['date', 'date-time', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6'],
  ...['uri', 'uri-reference', 'uri-template', 'uuid', 'regex', 'json-pointer'],
];

interface Source {
  readonly document: object;
  /** The remaining number of parts in the schema. */
  left: number;
}

interface Place {
  readonly depth: number;
  /** The references on the path to it. A repeated reference is a cycle. */
  readonly inside: readonly string[];
}

/**
 * Converts a schema of an OpenAPI 3.0 or 3.1 document to self-contained JSON Schema. Resolves references, and
 * omits properties that only responses have. Cycles and parts beyond the limits accept any value.
 */
export function toToolSchema(schema: unknown, document: object): JsonObject {
  return toPartSchema(schema, { document, left: MAX_PARTS }, { depth: 0, inside: [] });
}

function toPartSchema(schema: unknown, source: Source, { depth, inside }: Place): JsonObject {
  const reference = getOwn(schema, '$ref');
  if (typeof reference === 'string') {
    if (inside.includes(reference)) return createAnySchema(reference);
    return toPartSchema(resolveReference(source.document, schema), source, {
      depth,
      inside: [...inside, reference],
    });
  }
  if (!isRecord(schema)) return {};
  source.left -= 1;
  if (source.left < 0 || depth > MAX_DEPTH) return createAnySchema(inside.at(-1));
  const place = { depth: depth + 1, inside };
  return toNullable(schema, {
    ...copyKeywords(schema),
    ...toRange(schema),
    ...withDescription(schema),
    ...readPattern(schema),
    ...(FORMATS.includes(schema.format) && { format: String(schema.format) }),
    ...toNestedSchemas(schema, source, place),
  });
}

/**
 * Returns a schema for any value. Its description names the removed part, so that a model can still send it.
 */
function createAnySchema(reference: string | undefined): JsonObject {
  const name = reference?.split('/').at(-1);
  return name === undefined ? {} : { description: `Any ${name}.` };
}

const copyKeywords = (schema: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    COPIED_KEYWORDS.flatMap((key) => (Object.hasOwn(schema, key) ? [[key, schema[key] as Json]] : [])), // parsed from JSON
  );

/** OpenAPI 3.0 marks an exclusive bound with a flag. */
function toRange({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
}: Readonly<Record<string, unknown>>) {
  const lower = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const upper = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  return {
    ...(typeof lower === 'number' && { exclusiveMinimum: lower }),
    ...(typeof upper === 'number' && { exclusiveMaximum: upper }),
  };
}

const withDescription = ({ description }: Readonly<Record<string, unknown>>): JsonObject =>
  typeof description === 'string' && description.trim() !== ''
    ? { description: getFirstSentence(description) }
    : {};

/** Returns the first paragraph of a text on one line, shortened if necessary. */
export function getFirstSentence(text: string): string {
  const paragraph = (text.trim().split(/\n\s*\n/)[0] ?? '').replaceAll(/\s+/g, ' ');
  return paragraph.length > MAX_DESCRIPTION ? `${paragraph.slice(0, MAX_DESCRIPTION - 1)}…` : paragraph;
}

/** Omits a pattern in another dialect than JavaScript's, since it would be refused. The service checks it. */
function readPattern({ pattern }: Readonly<Record<string, unknown>>): JsonObject {
  if (typeof pattern !== 'string') return {};
  try {
    new RegExp(pattern, 'u');
    return { pattern };
  } catch {
    return {};
  }
}

function toNestedSchemas(
  schema: Readonly<Record<string, unknown>>,
  source: Source,
  place: Place,
): JsonObject {
  const toInnerSchema = (value: unknown): Json =>
    typeof value === 'boolean' ? value : toPartSchema(value, source, place);
  const unions = ['oneOf', 'anyOf', 'allOf'].flatMap((key): [string, Json][] => {
    const branches = schema[key];
    return Array.isArray(branches) ? [[key, branches.map(toInnerSchema)]] : [];
  });
  const single = ['items', 'additionalProperties', 'not'].flatMap((key): [string, Json][] =>
    schema[key] === undefined ? [] : [[key, toInnerSchema(schema[key])]],
  );
  return { ...Object.fromEntries([...unions, ...single]), ...toProperties(schema, source, toInnerSchema) };
}

function toProperties(
  { properties: declared, required }: Readonly<Record<string, unknown>>,
  { document }: Source,
  inner: (value: unknown) => Json,
): JsonObject {
  const wanted = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  if (!isRecord(declared)) return wanted.length > 0 ? { required: wanted } : {};
  const sent = Object.entries(declared).filter(
    ([, value]) => getOwn(resolveReference(document, value), 'readOnly') !== true,
  );
  const names = sent.map(([name]) => name);
  const kept = wanted.filter((name) => names.includes(name) || !Object.hasOwn(declared, name));
  return {
    properties: Object.fromEntries(sent.map(([name, value]) => [name, inner(value)])),
    ...(kept.length > 0 && { required: kept }),
  };
}

/** OpenAPI 3.0 allows `null` with a flag. */
function toNullable(schema: Readonly<Record<string, unknown>>, written: JsonObject): JsonObject {
  if (schema.nullable !== true) return written;
  const { type, enum: values, ...rest } = written;
  if (typeof type !== 'string') return { anyOf: [written, { type: 'null' }] };
  const choices = Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
  return { ...rest, type: [type, 'null'], ...(choices !== undefined && { enum: choices }) };
}
