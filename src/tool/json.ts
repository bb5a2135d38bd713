/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object, the shape of every tool input and of a tool-call context. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * A value that can be stored as JSON: JSON itself, an object with `toJSON`, such as a `Date` or a `URL`, or a
 * `Map` or `Set` of such values.
 */
export type JsonLike =
  | Json
  | { toJSON(key: string): unknown }
  | ReadonlyMap<JsonLike, JsonLike>
  | ReadonlySet<JsonLike>
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike };

/** The type of a value after it has been stored as JSON. */
export type AsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends { toJSON(...given: never[]): infer Said }
    ? PartsAsJson<Said>
    : PartsAsJson<Value>;

/**
 * Converts the parts of a value. `toJSON` of the value itself is not used again, but that of its parts is.
 */
type PartsAsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends ReadonlyMap<infer Key, infer Item>
    ? MapAsJson<Key, Item>
    : Value extends ReadonlySet<infer Item>
      ? AsJson<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: AsJson<Value[Key]> }
        : Value;

/**
 * An object if all keys are strings, or else a list of pairs. An empty map becomes an object regardless of
 * its type.
 */
type MapAsJson<Key, Item> = [Key] extends [string]
  ? { [key: string]: AsJson<Item> }
  : [AsJson<Key>, AsJson<Item>][];

/** Returns whether a value is a JSON object: not `null`, and not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the parsed JSON, or `undefined` if the text is not JSON. Never throws. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shortens a text to at most `max` UTF-16 units. A shortened text ends with an ellipsis. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** Joins texts with an empty line between them. Leaves out empty and absent ones. */
export const joinParagraphs = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n');

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const MAX_KEY_CHARACTERS = 40;

/**
 * Formats a path into a JSON value as a person would write it: `items[0].quantity`, with odd keys as `["a
 * b"]`. With `root`, the path starts there: `$.items[0]`. Shortens long keys, since models choose keys.
 */
export function formatPath(keys: readonly PropertyKey[], root = ''): string {
  let path = root;
  for (const key of keys) {
    if (typeof key === 'number') {
      path += `[${key}]`;
      continue;
    }
    const name = shorten(String(key), MAX_KEY_CHARACTERS);
    if (!PLAIN_KEY.test(String(key))) path += `[${JSON.stringify(name)}]`;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}

/** Returns a copy of JSON-like data with its strings and keys changed by `map`. */
export function mapTexts<Value>(value: Value, map: (text: string) => string): Value {
  return mapStrings(value, map) as Value; // `map` converts strings to strings
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, map)]));
}

/** Returns whether two values are equal JSON. The order of an object's keys does not matter. */
export function isEqualJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqualJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqualJson(a[key], b[key]))
  );
}

/** Returns the own property of an object under a name that can come from a model, ignoring inherited ones. */
export const getOwn = <Value>(values: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The maximum number of unknown keys to report, so that a wrong object does not cause a page of problems. */
const MAX_UNKNOWN_KEYS = 10;

/** Returns the keys of an object that are not among the known ones, shortened, at most 10. */
export function listUnknownKeys(given: object, known: object): string[] {
  const unknown: string[] = [];
  for (const key of Object.keys(given))
    if (!Object.hasOwn(known, key) && unknown.length < MAX_UNKNOWN_KEYS) unknown.push(key.slice(0, 40));
  return unknown;
}

/** Returns a line for each key of an object that is not among the known ones. */
export const listUnknownKeyProblems = (given: object, known: object): string[] =>
  listUnknownKeys(given, known).map((key) => `${key}: is not known here`);

/**
 * Returns a 32-bit hash of a text: FNV-1a over UTF-16. Synchronous, and the same on every platform. Different
 * texts can have the same hash.
 */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A JSON Schema whose root is an object, as shown to the model. */
export type JsonSchema = Readonly<Record<string, unknown>>;
