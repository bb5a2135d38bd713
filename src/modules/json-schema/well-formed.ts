import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';

const TYPE_NAMES = new Set<Json>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

const isSchema = (value: Json): boolean =>
  typeof value === 'boolean' || (isJsonObject(value) && isWellFormed(value));

const isText = (value: Json): boolean => typeof value === 'string';

const isList =
  (holds: (item: Json) => boolean) =>
  (value: Json): boolean =>
    Array.isArray(value) && value.every(holds);

const isSchemaMap = (value: Json): boolean => isJsonObject(value) && Object.values(value).every(isSchema);

/**
 * The value checks for keywords that the check follows or providers read. Other keywords can have any value.
 */
const KEYWORD_CHECKS = new Map<string, (value: Json) => boolean>([
  ['type', (type) => [type].flat().every((one) => TYPE_NAMES.has(one))],
  ['enum', Array.isArray],
  ['required', isList(isText)],
  ...['$ref', 'pattern', 'format'].map((keyword) => [keyword, isText] as const),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => [keyword, isList(isSchema)] as const),
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map(
    (keyword) => [keyword, isSchemaMap] as const,
  ),
  ['items', (items) => [items].flat().every(isSchema)],
  ...['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'].map(
    (keyword) => [keyword, isSchema] as const,
  ),
]);

/** Returns `true` if every keyword of a schema and of the schemas inside it has a value of the right type. */
export const isWellFormed = (schema: JsonObject): boolean =>
  Object.entries(schema).every(([keyword, value]) => KEYWORD_CHECKS.get(keyword)?.(value) ?? true);
