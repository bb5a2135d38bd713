import { attempt } from '../../tools/attempt.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tools/json.ts';
import { jsonSchemaCheck } from '../../tools/json-schema-check.ts';
import { isBounded } from './in-place.ts';
import { type SchemaParts, schemaParts } from './schema-parts.ts';
import { relax } from './tame-schema.ts';

/**
 * A copy of a server's schema that can be shown, and checked by anybody in a bounded time; `undefined` when it is not the
 * schema of an object, is not formed as JSON Schema, holds a part of a value against more than 1,000 schemas, or refers to what
 * it does not hold: a provider would refuse the whole request for it. What is costly is taken out (see `relax`), and with it
 * the regular expressions of other languages: the server checks what it is sent by its own schema. Never throws.
 */
export function usableSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object' || !isWellFormed(schema)) return undefined;
  const made = attempt(() => {
    const parts = schemaParts(schema);
    if (!isBounded(parts)) return undefined;
    const copy = relaxed(parts);
    jsonSchemaCheck(JSON.parse(JSON.stringify(copy))); // throws where it could not check
    return copy;
  });
  return made.ok ? made.value : undefined;
}

/** Where nothing refuses a value for being valid elsewhere, a reference to what was taken out can be left out too. */
function relaxed({ root, parts, lookup }: SchemaParts): JsonObject {
  relax(parts);
  const left = schemaParts(JSON.parse(JSON.stringify(root)));
  for (const part of left.parts) {
    const { $ref, __absolute_ref__: absolute = $ref } = part;
    const isGone = absolute !== undefined && left.lookup[absolute] === undefined;
    if (isGone && lookup[absolute] !== undefined) delete part.$ref;
  }
  return JSON.parse(JSON.stringify(left.root));
}

const TYPES = new Set<Json>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const isSchema = (value: Json): boolean =>
  typeof value === 'boolean' || (isJsonObject(value) && isWellFormed(value));
const isText = (value: Json): boolean => typeof value === 'string';
const isList =
  (holds: (item: Json) => boolean) =>
  (value: Json): boolean =>
    Array.isArray(value) && value.every(holds);
const isMap = (value: Json): boolean => isJsonObject(value) && Object.values(value).every(isSchema);

/** What keywords are that lead the check somewhere, or that providers read. The rest it takes as it comes. */
const KEYWORDS = new Map<string, (value: Json) => boolean>([
  ['type', (type) => [type].flat().every((one) => TYPES.has(one))],
  ['enum', Array.isArray],
  ['required', isList(isText)],
  ...['$ref', 'pattern', 'format'].map((keyword) => [keyword, isText] as const),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [keyword, isList(isSchema)] as const),
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map(
    (keyword) => [keyword, isMap] as const,
  ),
  ['items', (items) => [items].flat().every(isSchema)],
  ...['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'].map(
    (keyword) => [keyword, isSchema] as const,
  ),
]);

const isWellFormed = (schema: JsonObject): boolean =>
  Object.entries(schema).every(([keyword, value]) => KEYWORDS.get(keyword)?.(value) ?? true);
