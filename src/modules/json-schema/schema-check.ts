import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { formatProblems, type Problem } from '../../tool/problem-lines.ts';
import { createJsonSchemaCheck, getDraft, toProblems } from './check.ts';
import { isWellFormed } from './well-formed.ts';

/** Whether to find `all` problems of a value, or to stop after the `first`. */
type ProblemCount = 'all' | 'first';

/**
 * Returns the problems of a value, one line each, or an empty list if it is valid. @throws Error if the check
 * takes too long.
 */
export type SchemaCheck = (value: Json, howMany: ProblemCount) => readonly string[];

/**
 * Prepares a server's schema for checks of values, which can also come from the server. A hostile schema
 * could take forever, so `boundCost` limits its cost. Every valid value passes. Some invalid values pass too, and
 * the server's own check must reject them.
 *
 * @throws Error if the schema cannot be read.
 */
export function createSchemaCheck(schema: JsonObject): SchemaCheck {
  const parts = dissectSchema(schema);
  const begin = boundCost(parts.parts);
  const check: CheckContext = { ...parts, draft: getDraft(schema.$schema) };
  return (value, howMany) => {
    begin();
    return formatProblems(findProblems(check, value, howMany));
  };
}

interface CheckContext extends SchemaParts {
  readonly draft: SchemaDraft;
}

function findProblems(
  { root, draft, lookup }: CheckContext,
  value: Json,
  howMany: ProblemCount,
): readonly Problem[] {
  const { valid, errors } = validate(value, root, draft, lookup, howMany === 'first');
  return valid
    ? []
    : toProblems(errors.map((one) => (isNothingMatches(one) ? { ...one, keyword: 'false' } : one)));
}

/**
 * The maximum number of times that one check compares a part of a value with a schema. The schemas of real
 * tools need about one step for each value. An error takes about 200 bytes, and an isolate has 128 MB.
 */
const MAX_STEPS = 100_000;

/**
 * Limits the cost of a check with any schema. Removes keywords whose cost depends on the value's text
 * (patterns, `uniqueItems`, `format: url`), and keywords that would then reject a valid value. Counts all
 * other steps. After 100,000 steps, the check throws a RangeError. Call the returned function before each
 * check to reset the count.
 */
function boundCost(parts: readonly Schema[]): () => void {
  relaxParts(parts);
  const watch = { steps: 0 };
  for (const part of parts) {
    for (const inner of replaceBooleans(part)) countSteps(inner, watch);
    countSteps(part, watch);
  }
  return () => {
    watch.steps = 0;
  };
}

/**
 * Removes keywords whose cost grows with the length of a text or a list. Also removes keywords that would
 * then reject valid values, because a schema inside became more lenient or has a `$dynamicRef`, which is not
 * followed here. Changes no schema if no schema has a costly keyword.
 */
function relaxParts(parts: readonly Schema[]): void {
  if (parts.some(isCostly)) for (const part of parts) relaxPart(part);
}

const isCostly = (part: Schema): boolean =>
  [part.pattern, part.patternProperties, part.uniqueItems, part.$dynamicRef].some(
    (keyword) => keyword !== undefined,
  ) || part.format === 'url';

function relaxPart(part: Schema): void {
  if (part.patternProperties) delete part.additionalProperties;
  if (part.oneOf) part.allOf = [...(part.allOf ?? []), { anyOf: part.oneOf }];
  if (part.format === 'url') delete part.format;
  const taken = [
    'pattern',
    'patternProperties',
    'uniqueItems',
    'oneOf',
    'not',
    'if',
    'then',
    'else',
    'maxContains',
  ];
  for (const keyword of [...taken, 'unevaluatedProperties', 'unevaluatedItems']) delete part[keyword];
}

const OTHER_KEYWORDS = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;
const ITEM_KEYWORDS = ['items', 'additionalItems', 'unevaluatedItems', 'contains'] as const;

/**
 * Replaces `true` and `false` with schemas, because booleans are not counted when they are compared with many
 * values.
 */
function replaceBooleans(part: Schema): readonly Schema[] {
  return [...OTHER_KEYWORDS, ...ITEM_KEYWORDS].flatMap((keyword) => {
    const inner: unknown = part[keyword];
    if (typeof inner !== 'boolean') return [];
    const made: Schema = inner ? {} : { enum: [] };
    part[keyword] = made;
    return [made];
  });
}

/** Returns `true` if an error comes from the schema that replaces `false`. */
const isNothingMatches = ({ keyword, error }: OutputUnit): boolean =>
  keyword === 'enum' && error === 'Instance does not match any of [].';

/** Counts steps through a keyword that the interpreter reads once each time it applies the schema. */
function countSteps(part: Schema, watch: { steps: number }): void {
  const { $recursiveAnchor } = part;
  const weight = computeWeight(part);
  Object.defineProperty(part, '$recursiveAnchor', {
    configurable: true,
    get() {
      watch.steps += weight;
      if (watch.steps > MAX_STEPS) throw new RangeError(`it takes more than ${MAX_STEPS} steps to check`);
      return $recursiveAnchor;
    },
  });
}

/**
 * Returns the weight of a schema. Long lists, such as `required`, weigh more because each check reads them.
 */
function computeWeight(part: Schema): number {
  const values: readonly unknown[] = Object.values(part);
  const entries = values.map((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
  );
  return 1 + Math.floor(entries.reduce((sum, length) => sum + length, 0) / 16);
}

/** A dissected JSON Schema: every object schema in it, and the targets of `$ref`. */
interface SchemaParts {
  readonly root: Schema;
  readonly parts: readonly Schema[];
  readonly lookup: Record<string, Schema | boolean>;
}

/** The maximum nesting of `$id`s. The library's work doubles with each level. */
const MAX_NESTED_IDS = 4;

/**
 * Dissects a copy of a schema. The interpreter modifies the parts, and callers can too.
 *
 * @throws Error if it cannot be dissected, or only with unbounded work.
 */
function dissectSchema(schema: JsonObject): SchemaParts {
  if (measureNestedIds(schema) > MAX_NESTED_IDS) throw new Error('too many schemas with an "$id" are nested');
  const root: Schema = JSON.parse(JSON.stringify(schema));
  const lookup = dereference(root);
  const parts = new Set(Object.values(lookup).filter((part) => typeof part === 'object'));
  return { root, parts: [...parts], lookup };
}

/**
 * Returns the deepest nesting of `$id`s. Also counts properties with this name elsewhere, such as in a
 * default, because real schemas never nest them that deeply.
 */
function measureNestedIds(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const values: readonly unknown[] = Object.values(node);
  const inside = values.reduce<number>((most, value) => Math.max(most, measureNestedIds(value)), 0);
  const isNamed = ['$id', 'id'].some(
    (key) => Object.hasOwn(node, key) && typeof Reflect.get(node, key) === 'string',
  );
  return inside + (isNamed ? 1 : 0);
}

/**
 * Returns a copy of a server's schema that can be shown to models and checked in bounded time. Returns
 * `undefined` if a provider would reject the whole request because of the schema, or if the schema is too
 * costly: if it is not an object schema, is malformed, compares a part of a value with more than 1,000
 * schemas, or has a reference that does not resolve. Removes costly keywords (see `relaxParts`) and regular
 * expressions, which can be in another dialect. The server still checks inputs with its own schema. Never
 * throws.
 */
export function toUsableSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(schema) || schema.type !== 'object' || !isWellFormed(schema)) return undefined;
  const made = attempt(() => {
    const parts = dissectSchema(schema);
    if (!isBounded(parts)) return undefined;
    const copy = toRelaxedSchema(parts);
    createJsonSchemaCheck(JSON.parse(JSON.stringify(copy))); // throws if the schema cannot be checked
    return copy;
  });
  return made.ok ? made.value : undefined;
}

/**
 * Removes costly keywords, and references to removed parts. Removing references is safe, because no remaining
 * keyword rejects a value for matching a subschema.
 */
function toRelaxedSchema({ root, parts, lookup }: SchemaParts): JsonObject {
  relaxParts(parts);
  const left = dissectSchema(JSON.parse(JSON.stringify(root)));
  for (const part of left.parts) {
    const { $ref, __absolute_ref__: absolute = $ref } = part;
    const isGone = absolute !== undefined && left.lookup[absolute] === undefined;
    if (isGone && lookup[absolute] !== undefined) delete part.$ref;
  }
  return JSON.parse(JSON.stringify(left.root));
}

/**
 * The maximum number of schemas that one part of a value can be compared with. The richest unions of real
 * servers reach a few dozen.
 */
const MAX_SCHEMAS_IN_PLACE = 1_000;

/**
 * Returns `true` if each part of a value is compared with a bounded number of schemas. `$ref`, `allOf` and
 * similar keywords apply more schemas to the same part. If each of a few dozen schemas applies the next one
 * twice, a check takes forever. A reference cycle that does not descend into the value never ends. (The
 * interpreter does not follow `$dynamicRef`.)
 */
function isBounded({ root, parts, lookup }: SchemaParts): boolean {
  const counts = new Map<Schema, number>();
  const countParts = (part: Schema | boolean | undefined): number => {
    if (typeof part !== 'object') return 1;
    const known = counts.get(part);
    if (known !== undefined) return known;
    counts.set(part, Infinity); // a part that is reached again before it is counted is in a cycle
    const inside = listInPlace(part, root, lookup).map(countParts);
    const all = inside.reduce((sum, one) => sum + one, 1);
    counts.set(part, all);
    return all;
  };
  return parts.every((part) => countParts(part) <= MAX_SCHEMAS_IN_PLACE);
}

/** Returns the schemas that apply to the same value as this one. */
function listInPlace(
  part: Schema,
  root: Schema,
  lookup: SchemaParts['lookup'],
): readonly (Schema | boolean | undefined)[] {
  const { $ref, $recursiveRef, __absolute_ref__: absolute } = part;
  return [
    ...($ref === undefined ? [] : [lookup[absolute ?? $ref]]),
    // Without an anchor, the interpreter applies the schema to itself and never ends.
    ...($recursiveRef === undefined ? [] : [root.$recursiveAnchor === true ? root : part]),
    ...[part.allOf, part.anyOf, part.oneOf].flatMap((list) => list ?? []),
    ...[part.not, part.if, part.then, part.else].filter((inner) => inner !== undefined),
    ...[part.dependentSchemas, part.dependencies].flatMap(listSchemas),
  ];
}

const listSchemas = (map: Readonly<Record<string, unknown>> | undefined): readonly Schema[] =>
  Object.values(map ?? {}).filter(
    (inner): inner is Schema => typeof inner === 'object' && inner !== null && !Array.isArray(inner),
  );
