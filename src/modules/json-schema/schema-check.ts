import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import { type Problem, problemLines } from '../../tool/problem-lines.ts';
import { draftOf, jsonSchemaCheck, toProblems } from './check.ts';
import { isWellFormed } from './well-formed.ts';

/** `all` that is wrong with a value, or the `first` thing, after which the rest is hardly looked at. */
type HowMany = 'all' | 'first';

/** Answers lines about what is wrong with a value, none when it is valid. @throws Error when it takes too long to tell. */
export type SchemaCheck = (value: Json, howMany: HowMany) => readonly string[];

/**
 * Prepares a schema of a server, for values that may be its own as well. Unlike those of an app's own tools such a
 * schema may be made to take for ever, so `tame` bounds what it takes. No valid value is refused; some pass that are not
 * valid, which the server's own check is for.
 *
 * @throws Error when the schema cannot be read.
 */
export function schemaCheck(schema: JsonObject): SchemaCheck {
  const parts = schemaParts(schema);
  const begin = tame(parts.parts);
  const check: Check = { ...parts, draft: draftOf(schema.$schema) };
  return (value, howMany) => {
    begin();
    return problemLines(problemsOf(check, value, howMany));
  };
}

interface Check extends SchemaParts {
  readonly draft: SchemaDraft;
}

function problemsOf({ root, draft, lookup }: Check, value: Json, howMany: HowMany): readonly Problem[] {
  const { valid, errors } = validate(value, root, draft, lookup, howMany === 'first');
  return valid
    ? []
    : toProblems(errors.map((one) => (isNothingMatches(one) ? { ...one, keyword: 'false' } : one)));
}

/**
 * Times that a schema is held against a part of a value, in one check. The ones of honest tools need as many as there are
 * values; and an error weighs some 200 bytes, in an isolate that has 128 MB.
 */
const MAX_STEPS = 100_000;

/**
 * Makes checking end, whatever the schema. Keywords whose cost depends on the value's text (patterns, `uniqueItems`, `format:
 * url`) are taken out, and so is what would then refuse a valid value. Everything else is counted: 100,000 steps, then a
 * RangeError. Call the answer before each check: it sets the count to 0.
 */
function tame(parts: readonly Schema[]): () => void {
  relax(parts);
  const watch = { steps: 0 };
  for (const part of parts) {
    for (const inner of booleansMadeObjects(part)) count(inner, watch);
    count(part, watch);
  }
  return () => {
    watch.steps = 0;
  };
}

/**
 * Takes out of all parts what costs more the longer a text or a list is, and what would refuse a value because a schema inside
 * of it has become more lenient, or is so by a `$dynamicRef` that nobody follows here. Nothing when there is no such thing.
 */
function relax(parts: readonly Schema[]): void {
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

const OF_ALL_OTHERS = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'] as const;
const OF_ITEMS = ['items', 'additionalItems', 'unevaluatedItems', 'contains'] as const;

/** Puts schemas in the place of `true` and `false`, which are not counted when they are held against each of many values. */
function booleansMadeObjects(part: Schema): readonly Schema[] {
  return [...OF_ALL_OTHERS, ...OF_ITEMS].flatMap((keyword) => {
    const inner: unknown = part[keyword];
    if (typeof inner !== 'boolean') return [];
    const made: Schema = inner ? {} : { enum: [] };
    part[keyword] = made;
    return [made];
  });
}

/** Tells whether an error is of the schema that stands for `false`. */
const isNothingMatches = ({ keyword, error }: OutputUnit): boolean =>
  keyword === 'enum' && error === 'Instance does not match any of [].';

/** Counts by a keyword that the interpreter reads once whenever it holds the schema against something. */
function count(part: Schema, watch: { steps: number }): void {
  const { $recursiveAnchor } = part;
  const weight = weightOf(part);
  Object.defineProperty(part, '$recursiveAnchor', {
    configurable: true,
    get() {
      watch.steps += weight;
      if (watch.steps > MAX_STEPS) throw new RangeError(`it takes more than ${MAX_STEPS} steps to check`);
      return $recursiveAnchor;
    },
  });
}

/** Weighs long lists, such as of what is required: they are gone through each time. */
function weightOf(part: Schema): number {
  const values: readonly unknown[] = Object.values(part);
  const entries = values.map((value) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length : 0,
  );
  return 1 + Math.floor(entries.reduce((sum, length) => sum + length, 0) / 16);
}

/** A JSON Schema taken apart: every schema in it that is an object, and what `$ref` finds. */
interface SchemaParts {
  readonly root: Schema;
  readonly parts: readonly Schema[];
  readonly lookup: Record<string, Schema | boolean>;
}

/** The most `$id`s inside each other: the library's work doubles with each. */
const MAX_NESTED_IDS = 4;

/**
 * Takes a copy of a schema apart. What is inside may be changed, and has been: the interpreter writes on it.
 *
 * @throws Error when it cannot be taken apart, or only by work without end.
 */
function schemaParts(schema: JsonObject): SchemaParts {
  if (nestedIds(schema) > MAX_NESTED_IDS)
    throw new Error('too many schemas with an "$id" are inside each other');
  const root: Schema = JSON.parse(JSON.stringify(schema));
  const lookup = dereference(root);
  const parts = new Set(Object.values(lookup).filter((part) => typeof part === 'object'));
  return { root, parts: [...parts], lookup };
}

/**
 * Counts the deepest nesting of `$id`s, and also what only looks like an identifier, such as in a default: nobody nests
 * that deeply.
 */
function nestedIds(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  const values: readonly unknown[] = Object.values(node);
  const inside = values.reduce<number>((most, value) => Math.max(most, nestedIds(value)), 0);
  const isNamed = ['$id', 'id'].some(
    (key) => Object.hasOwn(node, key) && typeof Reflect.get(node, key) === 'string',
  );
  return inside + (isNamed ? 1 : 0);
}

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
    counts.set(part, Infinity); // whoever comes by here again before it is counted, is in a cycle
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
