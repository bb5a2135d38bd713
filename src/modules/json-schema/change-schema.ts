/** Copies JSON Schemas with changes to every schema inside. */
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';

const MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const SCHEMA_KEYWORDS = new Set([
  ...['additionalProperties', 'propertyNames', 'unevaluatedProperties', 'not', 'if', 'then', 'else', 'allOf'],
  ...['anyOf', 'oneOf', 'items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
]);

/**
 * Returns a copy of a schema with `change` applied to each schema in it, the innermost first. Skips values,
 * such as a default. Never throws for well-formed JSON Schema.
 */
export function mapSchemas(schema: Json, change: (part: JsonObject) => JsonObject): Json {
  if (!isJsonObject(schema)) return schema;
  const mapInner = (inner: Json): Json => mapSchemas(inner, change);
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (MAP_KEYWORDS.has(keyword) && isJsonObject(value))
      return [keyword, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapInner(one)]))];
    if (!SCHEMA_KEYWORDS.has(keyword)) return [keyword, value];
    return [keyword, Array.isArray(value) ? value.map(mapInner) : mapInner(value)];
  });
  return change(Object.fromEntries(entries));
}

/**
 * Returns a copy of a schema in which no property with a `default` is required, at any depth. A model can
 * then omit it, and the server or `fillDefaults` adds the value.
 */
export const withoutDefaultsRequired = (schema: Json): Json => mapSchemas(schema, makeDefaultedOptional);

function makeDefaultedOptional(part: JsonObject): JsonObject {
  const { required, ...rest } = part;
  const defaults = listDefaults(part);
  if (defaults.length === 0 || !Array.isArray(required)) return part;
  const left = required.filter((name) => !defaults.some(([defaulted]) => defaulted === name));
  return left.length > 0 ? { ...rest, required: left } : rest;
}

/** Returns the required properties of an object schema that have a default. */
const listDefaults = ({ properties, required }: JsonObject): readonly (readonly [string, Json])[] =>
  isJsonObject(properties) && Array.isArray(required)
    ? Object.entries(properties).flatMap(([name, one]) =>
        required.includes(name) && isJsonObject(one) && one.default !== undefined
          ? [[name, one.default] as const]
          : [],
      )
    : [];

/**
 * Returns a value with defaults for its missing required properties, in objects and in lists of objects, as
 * far as `properties` and `items` describe them.
 */
export function fillDefaults(value: Json, schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => fillDefaults(item, schema.items));
  if (!isJsonObject(value)) return value;
  const { properties } = schema;
  const entries = Object.entries(value).map(([name, one]): [string, Json] => [
    name,
    fillDefaults(one, isJsonObject(properties) ? getOwn(properties, name) : undefined),
  ]);
  const added = listDefaults(schema).filter(([name]) => !Object.hasOwn(value, name));
  return Object.fromEntries([...entries, ...structuredClone(added)]);
}
