/**
 * Checks `uniqueItems` in linear time. The interpreter compares every item with every other item, and a
 * model's list can be long. This code searches each list once, and rewrites the schema for an input with
 * duplicate items.
 */
import type { OutputUnit, Schema, SchemaDraft } from '@cfworker/json-schema';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';

/** The schemas that are reachable from a root, by their `$ref` names. */
export type SchemaLookup = Record<string, Schema | boolean>;

interface RootedSchema {
  readonly schema: Schema;
  readonly lookup: SchemaLookup;
  readonly draft: SchemaDraft;
}

/**
 * Returns a function that rewrites a schema for one input: without `uniqueItems`, but with the same result
 * for this input. Returns `undefined` if the schema has no `uniqueItems`, or refers to itself through
 * `$recursiveRef`. Below `contains`, `unevaluatedItems` and `unevaluatedProperties` the keyword stays, and
 * the interpreter checks it.
 */
export function settleUniqueItems(rooted: RootedSchema): ((input: Json) => Schema) | undefined {
  const bearers = findBearers(rooted.lookup);
  if (bearers.size === 0 || isReentered(rooted.lookup)) return undefined;
  return (input) =>
    settlePart(rooted.schema, input, { ...rooted, bearers, twice: findDuplicates(input) }) as Schema; // rewritten from an object
}

/**
 * Returns `true` if a schema has `$recursiveRef`. The interpreter would then apply a schema that was
 * rewritten for one value to another.
 */
const isReentered = (lookup: SchemaLookup): boolean =>
  Object.values(lookup).some((part) => typeof part === 'object' && part.$recursiveRef !== undefined);

/** Returns the schemas that have `uniqueItems`, or that contain or refer to such a schema. */
function findBearers(lookup: SchemaLookup): ReadonlySet<unknown> {
  const parts = new Set(Object.values(lookup).filter((part) => typeof part === 'object'));
  const bearers = new Set<unknown>([...parts].filter(({ uniqueItems }) => uniqueItems === true));
  const containsBearer = (part: Schema): boolean =>
    findTarget(part, lookup, bearers) !== undefined ||
    Object.values(part).some(
      (value: unknown) =>
        bearers.has(value) ||
        (typeof value === 'object' && value !== null && Object.values(value).some((one) => bearers.has(one))),
    );
  for (let found = bearers.size > 0; found; ) {
    const more = [...parts].filter((part) => !bearers.has(part) && containsBearer(part));
    for (const part of more) bearers.add(part);
    found = more.length > 0;
  }
  return bearers;
}

/** Returns the target of a `$ref` if it is one of these schemas. */
function findTarget(
  { $ref, __absolute_ref__: absolute = $ref }: Schema,
  lookup: SchemaLookup,
  bearers: ReadonlySet<unknown>,
): Schema | undefined {
  const target = absolute === undefined ? undefined : lookup[absolute];
  return typeof target === 'object' && bearers.has(target) ? target : undefined;
}

/** The indexes of the first duplicate item and its repetition, by list. */
type DuplicateItems = ReadonlyMap<unknown, readonly [first: number, again: number]>;

/**
 * Finds lists with duplicates. Gives equal values the same number, the innermost first, so that items can be
 * compared by number.
 */
function findDuplicates(input: Json): DuplicateItems {
  const numbers = new Map<string, number>();
  const twice = new Map<unknown, readonly [number, number]>();
  const toNumber = (value: Json): number => {
    const key = toKey(value);
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  };
  const toKey = (value: Json): string => {
    if (Array.isArray(value)) {
      const items = value.map(toNumber);
      const pair = findFirstPair(items);
      if (pair) twice.set(value, pair);
      return `[${items.join()}]`;
    }
    if (!isJsonObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${toNumber(one)}`);
    return `{${members.sort().join()}}`;
  };
  toKey(input);
  return twice;
}

function findFirstPair(items: readonly number[]): readonly [number, number] | undefined {
  const places = new Map<number, number>();
  let pair: readonly [number, number] | undefined;
  for (const [at, item] of items.entries()) {
    const first = places.get(item);
    if (first === undefined) places.set(item, at);
    else if (!pair || first < pair[0]) pair = [first, at];
  }
  return pair;
}

interface SettleContext extends RootedSchema {
  readonly bearers: ReadonlySet<unknown>;
  readonly twice: DuplicateItems;
}

type SchemaPart = Schema | boolean;

/**
 * Returns the schema rewritten for this value. A part without `uniqueItems`, such as a list of names in
 * `dependencies`, stays unchanged.
 */
function settlePart<P extends SchemaPart>(part: P, value: Json, settling: SettleContext): P | SchemaPart {
  const { bearers, twice, lookup, draft } = settling;
  if (typeof part !== 'object' || !bearers.has(part)) return part;
  const settleInner = (one: SchemaPart): SchemaPart => settlePart(one, value, settling);
  const target = findTarget(part, lookup, bearers);
  if (target && (draft === '4' || draft === '7')) return settleInner(target); // in these drafts, keywords beside `$ref` are ignored
  const { uniqueItems, $ref, allOf = [], ...rest } = part;
  const pair = uniqueItems === true ? twice.get(value) : undefined;
  const all = [
    ...allOf.map(settleInner),
    ...(target ? [settleInner(target)] : []),
    ...(pair ? [{ const: formatDuplicate(pair) }] : []),
  ];
  return {
    ...settleInside(rest, value, settling),
    ...mapInPlace(rest, settleInner),
    // The library stores the resolved reference in a property that a copy would lose.
    ...(!target && $ref !== undefined && { $ref, __absolute_ref__: part.__absolute_ref__ ?? $ref }),
    ...(all.length > 0 && { allOf: all as Schema[] }), // the library's type does not allow booleans here
  };
}

/** Rewrites the parts that apply to the same value. */
function mapInPlace(part: Schema, within: (one: SchemaPart) => SchemaPart): Schema {
  const made: Schema = {};
  for (const keyword of ['anyOf', 'oneOf']) if (part[keyword]) made[keyword] = part[keyword].map(within);
  for (const keyword of ['not', 'if', 'then', 'else']) {
    if (part[keyword] !== undefined) made[keyword] = within(part[keyword]);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    if (part[keyword]) made[keyword] = mapValues(part[keyword], within);
  }
  return made;
}

const mapValues = <From, To>(map: Readonly<Record<string, From>>, to: (one: From, key: string) => To) =>
  Object.fromEntries(Object.entries(map).map(([key, one]): [string, To] => [key, to(one, key)]));

/** Returns the schema with separate schemas for each item or member of this value. */
function settleInside(part: Schema, value: Json, settling: SettleContext): Schema {
  if (Array.isArray(value)) return settleItems(part, value, settling);
  return isJsonObject(value) ? settleMembers(part, value, settling) : part;
}

function settleItems(part: Schema, list: readonly Json[], settling: SettleContext): Schema {
  const { prefixItems, items, additionalItems, ...rest } = part;
  const ahead = prefixItems ?? (Array.isArray(items) ? items : []);
  const others = Array.isArray(items) ? additionalItems : items;
  const each = list.flatMap((item, at): SchemaPart[] => {
    const schema = at < ahead.length ? ahead[at] : others;
    return schema === undefined ? [] : [settlePart(schema, item, settling)];
  });
  return { ...rest, prefixItems: each };
}

function settleMembers(part: Schema, value: JsonObject, settling: SettleContext): Schema {
  const { properties = {}, patternProperties = {}, additionalProperties, ...rest } = part;
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, 'u'), schema] as const,
  );
  const listMemberSchemas = (key: string): readonly SchemaPart[] => {
    const named = getOwn(properties, key);
    const matched = patterns.flatMap(([pattern, schema]) => (pattern.test(key) ? [schema] : []));
    const known = named === undefined ? matched : [named, ...matched];
    return known.length > 0 || additionalProperties === undefined ? known : [additionalProperties];
  };
  const each = mapValues(value, (member, key): SchemaPart => {
    const [one = true, ...more] = listMemberSchemas(key).map((schema) =>
      settlePart(schema, member, settling),
    );
    return more.length === 0 ? one : { allOf: [one, ...more] as Schema[] };
  });
  const isKnown = (key: string): boolean => listMemberSchemas(key).length > 0;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(each).filter(([key]) => isKnown(key))),
    ...(additionalProperties !== undefined && { additionalProperties: true }),
  };
}

const formatDuplicate = ([first, again]: readonly [number, number]): string =>
  `holdfast: items ${first} and ${again}`;

/** Restores the name of `uniqueItems` in an error that comes from a rewritten schema. */
export function restoreUniqueItems(error: OutputUnit): OutputUnit {
  const [, first, again] =
    /^Instance does not match "holdfast: items (\d+) and (\d+)"\.$/.exec(error.error) ?? [];
  if (first === undefined) return error;
  return { ...error, keyword: 'uniqueItems', error: `Duplicate items at indexes ${first} and ${again}.` };
}
