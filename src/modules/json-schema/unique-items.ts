/**
 * Checks `uniqueItems` in a time that grows with the list: the interpreter compares every item with every other one, and a
 * model's list may be long. Lists are compared once, and the schema is written anew for the one input that holds an item twice.
 */
import type { OutputUnit, Schema, SchemaDraft } from '@cfworker/json-schema';
import { isJsonObject, type Json, type JsonObject, own } from '../../tool/json.ts';

/** The schemas that can be found from a root, by the names that `$ref` has for them. */
export type Lookup = Record<string, Schema | boolean>;

/** A schema as its checks go by it. */
interface Rooted {
  readonly schema: Schema;
  readonly lookup: Lookup;
  readonly draft: SchemaDraft;
}

/**
 * Prepares what makes, for an input, a schema without `uniqueItems` that says of this input what the whole schema says;
 * `undefined` when the schema has none, or comes back to itself by `$recursiveRef`. Below `contains` and `unevaluatedItems` or
 * `-Properties` it stays: the interpreter checks it there.
 */
export function uniqueItemsSettled(rooted: Rooted): ((input: Json) => Schema) | undefined {
  const bearers = bearersIn(rooted.lookup);
  if (bearers.size === 0 || isReentered(rooted.lookup)) return undefined;
  return (input) => settled(rooted.schema, input, { ...rooted, bearers, twice: itemsTwice(input) }) as Schema; // of an object comes one
}

/** By `$recursiveRef` the interpreter holds a schema, as it is for one value, against another one. */
const isReentered = (lookup: Lookup): boolean =>
  Object.values(lookup).some((part) => typeof part === 'object' && part.$recursiveRef !== undefined);

/** The schemas that have `uniqueItems`, or hold or refer to one that has it. */
function bearersIn(lookup: Lookup): ReadonlySet<unknown> {
  const parts = new Set(Object.values(lookup).filter((part) => typeof part === 'object'));
  const bearers = new Set<unknown>([...parts].filter(({ uniqueItems }) => uniqueItems === true));
  const holdsBearer = (part: Schema): boolean =>
    targetOf(part, lookup, bearers) !== undefined ||
    Object.values(part).some(
      (value: unknown) =>
        bearers.has(value) ||
        (typeof value === 'object' && value !== null && Object.values(value).some((one) => bearers.has(one))),
    );
  for (let found = bearers.size > 0; found; ) {
    const more = [...parts].filter((part) => !bearers.has(part) && holdsBearer(part));
    for (const part of more) bearers.add(part);
    found = more.length > 0;
  }
  return bearers;
}

/** The schema that a `$ref` leads to, where it is one of these. */
function targetOf(
  { $ref, __absolute_ref__: absolute = $ref }: Schema,
  lookup: Lookup,
  bearers: ReadonlySet<unknown>,
): Schema | undefined {
  const target = absolute === undefined ? undefined : lookup[absolute];
  return typeof target === 'object' && bearers.has(target) ? target : undefined;
}

/** The places of the first item that comes again, and of that; by the lists that have one. */
type Twice = ReadonlyMap<unknown, readonly [first: number, again: number]>;

/** Gives equal values one number, from inside to outside, so that items are compared by their numbers. */
function itemsTwice(input: Json): Twice {
  const numbers = new Map<string, number>();
  const twice = new Map<unknown, readonly [number, number]>();
  const numberOf = (value: Json): number => {
    const key = keyOf(value);
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  };
  const keyOf = (value: Json): string => {
    if (Array.isArray(value)) {
      const items = value.map(numberOf);
      const pair = firstPair(items);
      if (pair) twice.set(value, pair);
      return `[${items.join()}]`;
    }
    if (!isJsonObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${numberOf(one)}`);
    return `{${members.sort().join()}}`;
  };
  keyOf(input);
  return twice;
}

function firstPair(items: readonly number[]): readonly [number, number] | undefined {
  const places = new Map<number, number>();
  let pair: readonly [number, number] | undefined;
  for (const [at, item] of items.entries()) {
    const first = places.get(item);
    if (first === undefined) places.set(item, at);
    else if (!pair || first < pair[0]) pair = [first, at];
  }
  return pair;
}

interface Settling extends Rooted {
  readonly bearers: ReadonlySet<unknown>;
  readonly twice: Twice;
}

type Part = Schema | boolean;

/** The schema as it is for this value alone. Whoever is no bearer, such as a list of names in `dependencies`, stays. */
function settled<P extends Part>(part: P, value: Json, settling: Settling): P | Part {
  const { bearers, twice, lookup, draft } = settling;
  if (typeof part !== 'object' || !bearers.has(part)) return part;
  const within = (one: Part): Part => settled(one, value, settling);
  const target = targetOf(part, lookup, bearers);
  if (target && (draft === '4' || draft === '7')) return within(target); // nothing counts beside it
  const { uniqueItems, $ref, allOf = [], ...rest } = part;
  const pair = uniqueItems === true ? twice.get(value) : undefined;
  const all = [
    ...allOf.map(within),
    ...(target ? [within(target)] : []),
    ...(pair ? [{ const: wordsOf(pair) }] : []),
  ];
  return {
    ...inside(rest, value, settling),
    ...inPlace(rest, within),
    // The library keeps what the reference means where a copy does not take it along.
    ...(!target && $ref !== undefined && { $ref, __absolute_ref__: part.__absolute_ref__ ?? $ref }),
    ...(all.length > 0 && { allOf: all as Schema[] }), // the library's type knows no booleans here
  };
}

/** What is held against the same value. */
function inPlace(part: Schema, within: (one: Part) => Part): Schema {
  const made: Schema = {};
  for (const keyword of ['anyOf', 'oneOf']) if (part[keyword]) made[keyword] = part[keyword].map(within);
  for (const keyword of ['not', 'if', 'then', 'else']) {
    if (part[keyword] !== undefined) made[keyword] = within(part[keyword]);
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    if (part[keyword]) made[keyword] = mapped(part[keyword], within);
  }
  return made;
}

const mapped = <From, To>(map: Readonly<Record<string, From>>, to: (one: From, key: string) => To) =>
  Object.fromEntries(Object.entries(map).map(([key, one]): [string, To] => [key, to(one, key)]));

/** The schema with one for each item or member of this value, in place of one for several. */
function inside(part: Schema, value: Json, settling: Settling): Schema {
  if (Array.isArray(value)) return ofItems(part, value, settling);
  return isJsonObject(value) ? ofMembers(part, value, settling) : part;
}

function ofItems(part: Schema, list: readonly Json[], settling: Settling): Schema {
  const { prefixItems, items, additionalItems, ...rest } = part;
  const ahead = prefixItems ?? (Array.isArray(items) ? items : []);
  const others = Array.isArray(items) ? additionalItems : items;
  const each = list.flatMap((item, at): Part[] => {
    const schema = at < ahead.length ? ahead[at] : others;
    return schema === undefined ? [] : [settled(schema, item, settling)];
  });
  return { ...rest, prefixItems: each };
}

function ofMembers(part: Schema, value: JsonObject, settling: Settling): Schema {
  const { properties = {}, patternProperties = {}, additionalProperties, ...rest } = part;
  const patterns = Object.entries(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, 'u'), schema] as const,
  );
  const schemasOf = (key: string): readonly Part[] => {
    const named = own(properties, key);
    const matched = patterns.flatMap(([pattern, schema]) => (pattern.test(key) ? [schema] : []));
    const known = named === undefined ? matched : [named, ...matched];
    return known.length > 0 || additionalProperties === undefined ? known : [additionalProperties];
  };
  const each = mapped(value, (member, key): Part => {
    const [one = true, ...more] = schemasOf(key).map((schema) => settled(schema, member, settling));
    return more.length === 0 ? one : { allOf: [one, ...more] as Schema[] };
  });
  const isKnown = (key: string): boolean => schemasOf(key).length > 0;
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(each).filter(([key]) => isKnown(key))),
    ...(additionalProperties !== undefined && { additionalProperties: true }),
  };
}

const wordsOf = ([first, again]: readonly [number, number]): string =>
  `holdfast: items ${first} and ${again}`;

/** An error of the interpreter, in the words of the keyword where it stands for one that was settled. */
export function withUniqueItemsNamed(error: OutputUnit): OutputUnit {
  const [, first, again] =
    /^Instance does not match "holdfast: items (\d+) and (\d+)"\.$/.exec(error.error) ?? [];
  if (first === undefined) return error;
  return { ...error, keyword: 'uniqueItems', error: `Duplicate items at indexes ${first} and ${again}.` };
}
