import type { Schema } from '@cfworker/json-schema';
import { jsonSchemaCheck } from '../../modules/json-schema/check.ts';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { relax, type SchemaParts, schemaParts } from './schema-check.ts';

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

/** Says what keywords must be that lead the check somewhere, or that providers read. The others may be anything. */
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

/** The most schemas that one part of a value may be held against: the richest unions of honest servers come to some dozens. */
const MAX_IN_PLACE = 1_000;

/**
 * Whether a schema is held against each part of a value a bounded number of times: `$ref`, `allOf` and their like hold more
 * schemas against the same part, and a few that double each other are for ever. What leads back to itself without going
 * into the value never ends. (`$dynamicRef` is not followed by the interpreter.)
 */
function isBounded({ root, parts, lookup }: SchemaParts): boolean {
  const counts = new Map<Schema, number>();
  const count = (part: Schema | boolean | undefined): number => {
    if (typeof part !== 'object') return 1;
    const known = counts.get(part);
    if (known !== undefined) return known;
    counts.set(part, Number.POSITIVE_INFINITY); // whoever comes by here again before it is counted, is in a cycle
    const inside = inPlace(part, root, lookup).map(count);
    const all = inside.reduce((sum, one) => sum + one, 1);
    counts.set(part, all);
    return all;
  };
  return parts.every((part) => count(part) <= MAX_IN_PLACE);
}

/** Finds the schemas that are held against whatever this one is held against. */
function inPlace(
  part: Schema,
  root: Schema,
  lookup: SchemaParts['lookup'],
): readonly (Schema | boolean | undefined)[] {
  const { $ref, $recursiveRef, __absolute_ref__: absolute } = part;
  return [
    ...($ref === undefined ? [] : [lookup[absolute ?? $ref]]),
    // Without an anchor the interpreter takes the schema itself, for ever.
    ...($recursiveRef === undefined ? [] : [root.$recursiveAnchor === true ? root : part]),
    ...[part.allOf, part.anyOf, part.oneOf].flatMap((list) => list ?? []),
    ...[part.not, part.if, part.then, part.else].filter((inner) => inner !== undefined),
    ...[part.dependentSchemas, part.dependencies].flatMap(schemasOf),
  ];
}

const schemasOf = (map: Readonly<Record<string, unknown>> | undefined): readonly Schema[] =>
  Object.values(map ?? {}).filter(
    (inner): inner is Schema => typeof inner === 'object' && inner !== null && !Array.isArray(inner),
  );
