import type { Schema } from '@cfworker/json-schema';
import { attempt } from '../../tools/attempt.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tools/json.ts';
import { jsonSchemaCheck } from '../../tools/json-schema-check.ts';
import { schemaParts } from './schema-parts.ts';

/**
 * A copy of a server's schema that can be shown and checked; `undefined` when it is not the schema of an object, is not formed
 * as JSON Schema, or refers to what it does not hold: a provider would refuse the whole request for it. Regular expressions
 * that JavaScript does not know are taken out: those of other languages are common, and the server checks what it is sent by
 * its own. Never throws.
 */
export function usableSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object' || !isWellFormed(schema)) return undefined;
  const made = attempt(() => {
    const { root, parts } = schemaParts(schema);
    for (const part of parts) dropForeignPatterns(part);
    const copy: JsonObject = JSON.parse(JSON.stringify(root));
    jsonSchemaCheck(JSON.parse(JSON.stringify(copy))); // throws where it could not check
    return copy;
  });
  return made.ok ? made.value : undefined;
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

function dropForeignPatterns(part: Schema): void {
  if (typeof part.pattern === 'string' && !isPattern(part.pattern)) delete part.pattern;
  for (const pattern of Object.keys(part.patternProperties ?? {})) {
    if (!isPattern(pattern)) delete part.patternProperties?.[pattern];
  }
}

const isPattern = (text: string): boolean => attempt(() => new RegExp(text, 'u')).ok;
