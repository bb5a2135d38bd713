import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * A copy of an input in which numbers and booleans that a model wrote in quotes are such, where the schema asks for
 * one and for no text (ANN-07): `"42"` becomes `42`, and only `"true"` and `"false"` become booleans (ANN-09). All else
 * stays for the validation to judge. It follows properties, items and alternatives, but no `$ref`.
 */
export const coerceInput = (input: JsonObject, schema: JsonSchema): JsonObject => {
  const coerced = coerce(input, schema);
  return isJsonObject(coerced) ? coerced : input;
};

function coerce(value: Json, schema: unknown): Json {
  if (typeof value === 'string') return coerceText(value, typesOf(schema));
  if (Array.isArray(value)) {
    const items = alternatives(schema).find((one) => isJsonObject(one.items))?.items;
    return items === undefined ? value : value.map((item: Json) => coerce(item, items));
  }
  if (!isJsonObject(value)) return value;
  const properties = alternatives(schema).flatMap((one) =>
    isJsonObject(one.properties) ? [one.properties] : [],
  );
  const entries = Object.entries(value).map(([key, item]): [string, Json] => {
    const known = properties.find((one) => Object.hasOwn(one, key));
    return [key, known ? coerce(item, known[key]) : item];
  });
  return Object.fromEntries(entries);
}

function coerceText(text: string, types: ReadonlySet<unknown>): Json {
  if (types.has('string')) return text;
  if ((types.has('number') || types.has('integer')) && isNumber(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** As JSON writes numbers; but not one that a number would round, such as a long id. */
const isNumber = (text: string): boolean =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) &&
  Number.isFinite(Number(text)) &&
  (Number.isSafeInteger(Number(text)) || !Number.isInteger(Number(text)));

/** The types that a schema allows; a schema that names none allows text. */
function typesOf(schema: unknown): ReadonlySet<unknown> {
  return new Set(
    alternatives(schema).flatMap(({ type, enum: values, const: value }) => {
      if (type !== undefined) return type;
      const listed = Array.isArray(values) ? values : value === undefined ? [] : [value];
      return listed.length === 0 ? ['string'] : listed.map((one) => typeof one);
    }),
  );
}

/** A schema, or the schemas that it is a choice of. */
function alternatives(schema: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.flatMap(alternatives) : [schema];
}
