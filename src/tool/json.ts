/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object; the shape of every tool input and of a tool-call context. */
export type JsonObject = { readonly [key: string]: Json };

/**
 * What is kept as JSON: it is JSON, says by `toJSON` what it is there, as a `Date` and a `URL` do, or is a `Map` or a `Set` of
 * such values.
 */
export type JsonLike =
  | Json
  | { toJSON(key: string): unknown }
  | ReadonlyMap<JsonLike, JsonLike>
  | ReadonlySet<JsonLike>
  | readonly JsonLike[]
  | { readonly [key: string]: JsonLike };

/** What a value of a type is once it has been kept as JSON. */
export type AsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends { toJSON(...given: never[]): infer Said }
    ? PartsAsJson<Said>
    : PartsAsJson<Value>;

/** What `toJSON` says is not asked again; what is in it is. */
type PartsAsJson<Value> = [Value] extends [Json]
  ? Value
  : Value extends ReadonlyMap<infer Key, infer Item>
    ? MapAsJson<Key, Item>
    : Value extends ReadonlySet<infer Item>
      ? AsJson<Item>[]
      : Value extends object
        ? { [Key in keyof Value]: AsJson<Value[Key]> }
        : Value;

/** An object if all keys are texts, else pairs. A map without entries is an object whatever its type says. */
type MapAsJson<Key, Item> = [Key] extends [string]
  ? { [key: string]: AsJson<Item> }
  : [AsJson<Key>, AsJson<Item>][];

/** True for a plain JSON object: not `null`, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parsed JSON; `undefined` for text that is none, since JSON itself has no `undefined`. Never throws. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Cuts text that came from outside to at most `max` UTF-16 units, the last of which is then an ellipsis. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

/** Texts one below the other with an empty line between; those that are empty or absent are left out. */
export const paragraphs = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n');

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const KEY_LENGTH = 40;

/**
 * Writes a path into a JSON value as a person would: `items[0].quantity`, and odd keys as `["a b"]`.
 * With `root` the path starts there: `$.items[0]`. Long keys are cut, since a model chose them.
 */
export function formatPath(keys: readonly PropertyKey[], root = ''): string {
  let path = root;
  for (const key of keys) {
    if (typeof key === 'number') {
      path += `[${key}]`;
      continue;
    }
    const name = shorten(String(key), KEY_LENGTH);
    if (!PLAIN_KEY.test(String(key))) path += `[${JSON.stringify(name)}]`;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}

/** A copy of JSON-like data with its texts and keys changed. */
export function mapTexts<Value>(value: Value, map: (text: string) => string): Value {
  return mapped(value, map) as Value; // only texts are changed, into texts
}

function mapped(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapped(item, map)]));
}

/** Tells whether two values are the same JSON; the order of an object's keys does not count. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

/** Answers what an object holds under a name that may come from a model: nothing that it inherits. */
export const own = <Value>(values: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** A misspelled object should not make a page of problems. */
const MAX_UNKNOWN = 10;

/** Returns the properties of an object that are not among the known ones, shortened: at most 10. */
export function unknownKeys(given: object, known: object): string[] {
  const unknown: string[] = [];
  for (const key of Object.keys(given))
    if (!Object.hasOwn(known, key) && unknown.length < MAX_UNKNOWN) unknown.push(key.slice(0, 40));
  return unknown;
}

/** Returns what is wrong with the properties of an object that are not among the known ones, a line each. */
export const unknownProblems = (given: object, known: object): string[] =>
  unknownKeys(given, known).map((key) => `${key}: is not known here`);

/** A number of 32 bits for a text, the same everywhere and told at once: FNV-1a over UTF-16. Texts may share one. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** A JSON Schema whose root is an object, as the model is shown it. */
export type JsonSchema = Readonly<Record<string, unknown>>;
