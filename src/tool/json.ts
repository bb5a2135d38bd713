/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object; the shape of every tool input and of a tool-call context. */
export type JsonObject = { readonly [key: string]: Json };

/** What is kept as JSON: it is JSON, or says by `toJSON` what it is there, as a `Date` and a `URL` do. */
export type JsonLike =
  | Json
  | { toJSON(key: string): unknown }
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
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Value[Key]> }
    : Value;

/** True for a plain JSON object: not `null`, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** Where a value stops being JSON: `what` completes "the value at `$.a.b` is ...". */
export interface NonJson {
  readonly path: string;
  readonly what: string;
}

/** A deep copy, or the first thing that is not JSON. */
type JsonCopy =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: NonJson };

const MAX_DEPTH = 500;

/**
 * Copies a value through JSON when nothing of it is lost by that. What has `toJSON`, as a `Date` or a `URL` has, is what
 * that says; properties that are `undefined` or have a symbol as their key are dropped (an object that came over RPC has
 * such a key: `Symbol.dispose`). Never throws.
 */
export function copyJson(value: unknown): JsonCopy {
  const path: PropertyKey[] = [];
  try {
    const copy = toJson(value, '', { path, parents: new Set() });
    if (copy === undefined) throw new NotJson('undefined');
    // Once more through text: what the journal gives back knows no `-0`, and some texts are too long to be written.
    return { ok: true, value: JSON.parse(JSON.stringify(copy)) };
  } catch (thrown) {
    return { ok: false, problem: { path: formatPath(path, '$'), what: whyNot(thrown) } };
  }
}

/** Something is not JSON; the message says what it is. */
class NotJson extends Error {}

/** Where a copy has come to. `parents` are the objects that are being looked into. */
interface Place {
  readonly path: PropertyKey[];
  readonly parents: Set<object>;
}

/** Leaves the path at the place of what it throws. Everything is read once: a second time it may say something else. */
function toJson(given: unknown, key: string, place: Place): Json | undefined {
  const node = saidBy(given, key);
  if (node === null || node === undefined || typeof node === 'string' || typeof node === 'boolean')
    return node;
  if (typeof node === 'number' && Number.isFinite(node)) return node;
  if (typeof node === 'number') throw new NotJson(String(node));
  if (typeof node !== 'object') throw new NotJson(`a ${typeof node}`);
  const { path, parents } = place;
  if (parents.has(node)) throw new NotJson('one of its own parents');
  if (path.length >= MAX_DEPTH) throw new NotJson(`nested more than ${MAX_DEPTH} levels deep`);
  const isList = Array.isArray(node);
  if (!isList && !isPlainObject(node)) throw new NotJson(describeInstance(node));

  parents.add(node);
  const copies: [PropertyKey, Json][] = [];
  // Holes of a list count as `undefined`; a property that is `undefined` does not count.
  for (const [at, child] of isList ? [].entries.call(node) : Object.entries(node)) {
    path.push(at);
    const copy = toJson(child, String(at), place);
    if (copy !== undefined) copies.push([at, copy]);
    else if (isList) throw new NotJson('undefined');
    path.pop();
  }
  parents.delete(node);
  return isList ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** The value, or what its `toJSON` says it is, asked as `JSON.stringify` asks. */
function saidBy(value: unknown, key: string): unknown {
  const object = Object(value);
  return typeof object.toJSON === 'function' && !isStub(object) ? object.toJSON(key) : value;
}

/** A stub of another Worker, or a promise of one, has every name that it is asked for; its `toJSON` would be a request. */
const isStub = (value: object): boolean => 'holdfast: nothing has this name' in value;

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describeInstance(value: object): string {
  const name = shorten(`${value.constructor?.name ?? ''}`, 40);
  if (name === '') return 'an instance of a class';
  return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** Else a getter or `toJSON` threw, and may have thrown anything; or the text would be longer than a string can be. */
function whyNot(thrown: unknown): string {
  try {
    if (thrown instanceof NotJson) return thrown.message;
    if (thrown instanceof Error && thrown.message) return `unreadable (${shorten(`${thrown.message}`, 200)})`;
  } catch {
    // It cannot be read either.
  }
  return 'unreadable';
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

/** A number of 32 bits for a text, the same everywhere and told at once: FNV-1a over UTF-16. Texts may share one. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
