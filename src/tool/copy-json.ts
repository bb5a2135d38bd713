import { formatPath, type Json, shorten } from './json.ts';

/** Where a value stops being JSON: `what` completes "the value at `$.a.b` is ...". */
export interface NonJson {
  readonly path: string;
  readonly what: string;
  /** Of an object that the platform has made: its class. */
  readonly made?: string | undefined;
}

/** Returns the problem as a clause. */
export const inWords = ({ path, what }: NonJson): string => `the value at \`${path}\` is ${what}`;

/** A deep copy, or the first thing that is not JSON. */
type JsonCopy =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: NonJson };

/** A deep copy of what of a value is JSON. */
export interface KeptJson {
  /** `undefined` when nothing of the value is JSON. */
  readonly value: Json | undefined;
  /** What was left out; in a list it is `null`. */
  readonly left: readonly NonJson[];
  /** Numbers that JSON has not, which are `null`. */
  readonly nulls: readonly NonJson[];
  /** Bytes, for each of which its name stands in the value. */
  readonly bytes: readonly KeptBytes[];
}

/** Bytes that were found in a value. */
export interface KeptBytes {
  /** Its place in the value, such as `pages[0].image`; the empty text when they are the value. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const MAX_DEPTH = 500;

/**
 * Copies a value through JSON when nothing of it is lost by that, as `JSON.stringify` has it: what has `toJSON`, as a `Date` has,
 * is what that says, and properties that are `undefined` or have a symbol as their key are dropped. A `Map` is an object if its
 * keys are texts, else a list of pairs; a `Set` is a list. Never throws.
 */
export function copyJson(value: unknown): JsonCopy {
  const path: PropertyKey[] = [];
  const refuse = (what: string): never => {
    throw new NotJson(what);
  };
  try {
    const copy = toJson(value, '', { path, parents: new Set(), cut: refuse });
    if (copy === undefined) refuse('undefined');
    // Once more through text: what the journal gives back knows no `-0`, and some texts are too long to be written.
    return { ok: true, value: JSON.parse(JSON.stringify(copy)) };
  } catch (thrown) {
    return { ok: false, problem: { path: formatPath(path, '$'), what: whyNot(thrown) } };
  }
}

/** Copies what of a value is JSON, as `copyJson` does, and tells what was left out. Never throws. */
export function keepJson(given: unknown): KeptJson {
  const path: PropertyKey[] = [];
  const left: NonJson[] = [];
  const nulls: NonJson[] = [];
  const bytes: KeptBytes[] = [];
  const place: Place = {
    path,
    parents: new Set(),
    cut(what, instead, made) {
      const list = instead === null ? nulls : left;
      list.push({ path: formatPath(path, '$'), what, made });
      return instead;
    },
    takeBytes(found) {
      const name = formatPath(path);
      bytes.push({ name, bytes: found });
      return name === '' ? '[file]' : `[file ${JSON.stringify(name)}]`;
    },
  };
  try {
    const value = toJson(given, '', place);
    return { value: value === undefined ? value : JSON.parse(JSON.stringify(value)), left, nulls, bytes };
  } catch (thrown) {
    // The text would be longer than a string can be.
    return { value: undefined, left: [{ path: '$', what: whyNot(thrown) }], nulls: [], bytes: [] };
  }
}

/** Something is not JSON; the message says what it is. */
class NotJson extends Error {}

/** Where a copy has come to. */
interface Place {
  readonly path: PropertyKey[];
  /** The objects that are being looked into. */
  readonly parents: Set<object>;
  /** Told of what is not JSON; answers what stands in its place, or throws. `instead` is `null` for a number that JSON has not. */
  cut(what: string, instead?: null, made?: string): null | undefined;
  /** Takes bytes, and answers what stands in their place. Without it they are not JSON. */
  takeBytes?(bytes: Uint8Array): Json;
}

/** Leaves the path at the place of what it throws. Everything is read once: a second time it may say something else. */
function toJson(given: unknown, key: string, place: Place): Json | undefined {
  const bytes = place.takeBytes && bytesOf(given);
  if (bytes && place.takeBytes) return place.takeBytes(bytes);
  let node: unknown;
  try {
    node = saidBy(given, key);
  } catch (thrown) {
    return place.cut(whyNot(thrown));
  }
  if (node === null || node === undefined || typeof node === 'string' || typeof node === 'boolean')
    return node;
  if (typeof node === 'number') return Number.isFinite(node) ? node : place.cut(String(node), null);
  if (typeof node !== 'object') return place.cut(`a ${typeof node}`);
  return objectToJson(node, place);
}

function objectToJson(node: object, place: Place): Json | undefined {
  const { path, parents, cut } = place;
  if (parents.has(node)) return cut('one of its own parents');
  if (path.length >= MAX_DEPTH) return cut(`nested more than ${MAX_DEPTH} levels deep`);
  let content: Content | undefined;
  try {
    content = contentOf(node);
  } catch (thrown) {
    return cut(whyNot(thrown));
  }
  if (content === undefined) return cut(describeInstance(node), undefined, node.constructor?.name);
  if (!('entries' in content)) return toJson(content.value, '', place);
  const { isList, entries } = content;
  parents.add(node);
  const copies: [PropertyKey, Json][] = [];
  for (const [at, child] of entries) {
    path.push(at);
    const copy = toJson(child, String(at), place);
    // A list keeps its places; a property that is `undefined` does not count.
    if (copy !== undefined) copies.push([at, copy]);
    else if (isList) copies.push([at, null]);
    path.pop();
  }
  parents.delete(node);
  return isList ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** What is in an object; or the plain value that an object such as `Object(1)` stands for. */
type Content =
  | { readonly isList: boolean; readonly entries: Iterable<readonly [string | number, unknown]> }
  | { readonly value: unknown };

/** `undefined` for an object that has nothing which JSON could keep. */
function contentOf(node: object): Content | undefined {
  if (Array.isArray(node)) return listed(node);
  if (node instanceof Map) {
    const pairs = [...node];
    const isObject = pairs.every((pair): pair is [string, unknown] => typeof pair[0] === 'string');
    return isObject ? { isList: false, entries: pairs } : listed(pairs);
  }
  if (node instanceof Set) return listed([...node]);
  if (ArrayBuffer.isView(node) && !BYTES.has(tagOf(node))) return listed(Array.from(Object.values(node)));
  if (node instanceof Number || node instanceof String || node instanceof Boolean)
    return { value: node.valueOf() };
  if (!isPlainObject(node) && (isStub(node) || !hasProperties(node))) return undefined;
  return { isList: false, entries: Object.entries(node) };
}

/** Holes of a list count as `undefined`. A list may have its own idea of what is in it, which nobody asks for. */
const listed = (items: readonly unknown[]): Content => ({ isList: true, entries: [].entries.call(items) });

/** Tells an object of somebody's class from one that the platform has made, of which JSON would keep `{}`. */
function hasProperties(node: object): boolean {
  const tag = tagOf(node);
  return tag === 'Object' || (tag !== 'Error' && !ArrayBuffer.isView(node) && Object.keys(node).length > 0);
}

const tagOf = (node: unknown): string => Object.prototype.toString.call(node).slice('[object '.length, -1);

/** A copy of bytes, so that whoever made them may go on using their own; `undefined` of what is none. */
function bytesOf(given: unknown): Uint8Array | undefined {
  if (given instanceof ArrayBuffer) return new Uint8Array(given.slice(0));
  const tag = ArrayBuffer.isView(given) ? tagOf(given) : '';
  if (!ArrayBuffer.isView(given) || !BYTES.has(tag)) return undefined;
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice();
}

const BYTES: ReadonlySet<string> = new Set(['Uint8Array', 'Uint8ClampedArray', 'DataView']);

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
  if (name === 'Promise') return 'a Promise: an `await` is missing';
  return `${/^(?:[AEIO]|U(?!int))/i.test(name) ? 'an' : 'a'} ${name}`;
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
