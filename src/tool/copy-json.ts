import { formatPath, type Json, shorten } from './json.ts';

/** A value that is not JSON, and its place. `what` completes "the value at `$.a.b` is ...". */
export interface NonJsonValue {
  readonly path: string;
  readonly what: string;
  /** The class of an object of the platform. */
  readonly made?: string | undefined;
}

/** Returns the problem as a clause. */
export const describeNonJson = ({ path, what }: NonJsonValue): string =>
  `the value at \`${path}\` is ${what}`;

/** A deep copy, or the first value that is not JSON. */
type JsonCopy =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: NonJsonValue };

/** A deep copy of the JSON part of a value. */
export interface PartialJsonCopy {
  /** `undefined` if no part of the value is JSON. */
  readonly value: Json | undefined;
  /** Values that were left out. In a list, each is `null`. */
  readonly left: readonly NonJsonValue[];
  /** Numbers that JSON cannot represent. Each is `null`. */
  readonly nulls: readonly NonJsonValue[];
  /** Bytes. In the value, each is replaced with its name. */
  readonly bytes: readonly ExtractedBytes[];
}

/** Bytes that were found in a value. */
export interface ExtractedBytes {
  /** Their place in the value, such as `pages[0].image`. Empty if the whole value is bytes. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

const MAX_DEPTH = 500;

/**
 * Copies a value as JSON, or returns the first value that JSON would lose. Like `JSON.stringify`, it uses
 * `toJSON` (as for a `Date`), and drops properties that are `undefined` or have a symbol as their key. A
 * `Map` becomes an object if its keys are strings, and otherwise a list of pairs. A `Set` becomes a list.
 * Never throws.
 */
export function copyJson(value: unknown): JsonCopy {
  const path: PropertyKey[] = [];
  const refuse = (what: string): never => {
    throw new NotJsonError(what);
  };
  try {
    const copy = toJson(value, '', { path, parents: new Set(), cut: refuse });
    if (copy === undefined) refuse('undefined');
    // Round-trip through text, since the journal does not keep `-0`, and the text can be too long for a
    // string.
    return { ok: true, value: JSON.parse(JSON.stringify(copy)) };
  } catch (thrown) {
    return { ok: false, problem: { path: formatPath(path, '$'), what: describeCopyFailure(thrown) } };
  }
}

/** Copies the JSON part of a value like `copyJson`, and reports what was left out. Never throws. */
export function copyJsonPart(given: unknown): PartialJsonCopy {
  const path: PropertyKey[] = [];
  const left: NonJsonValue[] = [];
  const nulls: NonJsonValue[] = [];
  const bytes: ExtractedBytes[] = [];
  const place: CopyProgress = {
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
    // The text would exceed the maximum length of a string.
    return {
      value: undefined,
      left: [{ path: '$', what: describeCopyFailure(thrown) }],
      nulls: [],
      bytes: [],
    };
  }
}

/** Thrown for a value that is not JSON. The message describes the value. */
class NotJsonError extends Error {}

interface CopyProgress {
  readonly path: PropertyKey[];
  /** The objects around the current value. */
  readonly parents: Set<object>;
  /**
   * Called for a value that is not JSON. Returns its replacement or throws. `instead` is `null` for a number
   * that JSON cannot represent.
   */
  cut(what: string, instead?: null, made?: string): null | undefined;
  /** Receives bytes, and returns their replacement. Without it, bytes are not JSON. */
  takeBytes?(bytes: Uint8Array): Json;
}

/**
 * Copies a value. If it throws, `path` leads to the failing value. Reads each property once, since a getter
 * can return different values.
 */
function toJson(given: unknown, key: string, place: CopyProgress): Json | undefined {
  const bytes = place.takeBytes && copyBytes(given);
  if (bytes && place.takeBytes) return place.takeBytes(bytes);
  let node: unknown;
  try {
    node = callToJson(given, key);
  } catch (thrown) {
    return place.cut(describeCopyFailure(thrown));
  }
  if (node === null || node === undefined || typeof node === 'string' || typeof node === 'boolean')
    return node;
  if (typeof node === 'number') return Number.isFinite(node) ? node : place.cut(String(node), null);
  if (typeof node !== 'object') return place.cut(`a ${typeof node}`);
  return copyObject(node, place);
}

function copyObject(node: object, place: CopyProgress): Json | undefined {
  const { path, parents, cut } = place;
  if (parents.has(node)) return cut('one of its own parents');
  if (path.length >= MAX_DEPTH) return cut(`nested more than ${MAX_DEPTH} levels deep`);
  let content: NodeContent | undefined;
  try {
    content = getNodeContent(node);
  } catch (thrown) {
    return cut(describeCopyFailure(thrown));
  }
  if (content === undefined) return cut(describeInstance(node), undefined, node.constructor?.name);
  if (!('entries' in content)) return toJson(content.value, '', place);
  const { isList, entries } = content;
  parents.add(node);
  const copies: [PropertyKey, Json][] = [];
  for (const [at, child] of entries) {
    path.push(at);
    const copy = toJson(child, String(at), place);
    // Items of a list keep their positions. Properties that are `undefined` are dropped.
    if (copy !== undefined) copies.push([at, copy]);
    else if (isList) copies.push([at, null]);
    path.pop();
  }
  parents.delete(node);
  return isList ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
}

/** The contents of an object, or the primitive in a wrapper such as `Object(1)`. */
type NodeContent =
  | { readonly isList: boolean; readonly entries: Iterable<readonly [string | number, unknown]> }
  | { readonly value: unknown };

/** Returns the contents of an object, or `undefined` if JSON cannot represent them. */
function getNodeContent(node: object): NodeContent | undefined {
  if (Array.isArray(node)) return toListContent(node);
  if (node instanceof Map) {
    const pairs = [...node];
    const isObject = pairs.every((pair): pair is [string, unknown] => typeof pair[0] === 'string');
    return isObject ? { isList: false, entries: pairs } : toListContent(pairs);
  }
  if (node instanceof Set) return toListContent([...node]);
  if (ArrayBuffer.isView(node) && !BYTE_TYPES.has(getTypeTag(node)))
    return toListContent(Array.from(Object.values(node)));
  if (node instanceof Number || node instanceof String || node instanceof Boolean)
    return { value: node.valueOf() };
  if (!isPlainObject(node) && (isStub(node) || !hasProperties(node))) return undefined;
  return { isList: false, entries: Object.entries(node) };
}

/** Returns the content of a list. Holes count as `undefined`. Ignores a custom iterator of the list. */
const toListContent = (items: readonly unknown[]): NodeContent => ({
  isList: true,
  entries: [].entries.call(items),
});

/** Returns whether an object has contents of its own. Many platform objects would become `{}` in JSON. */
function hasProperties(node: object): boolean {
  const tag = getTypeTag(node);
  return tag === 'Object' || (tag !== 'Error' && !ArrayBuffer.isView(node) && Object.keys(node).length > 0);
}

const getTypeTag = (node: unknown): string =>
  Object.prototype.toString.call(node).slice('[object '.length, -1);

/**
 * Returns a copy of bytes, since their owner can still change them. Returns `undefined` if the value is not
 * bytes.
 */
function copyBytes(given: unknown): Uint8Array | undefined {
  if (given instanceof ArrayBuffer) return new Uint8Array(given.slice(0));
  const tag = ArrayBuffer.isView(given) ? getTypeTag(given) : '';
  if (!ArrayBuffer.isView(given) || !BYTE_TYPES.has(tag)) return undefined;
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength).slice();
}

const BYTE_TYPES: ReadonlySet<string> = new Set(['Uint8Array', 'Uint8ClampedArray', 'DataView']);

/** Returns the value, or the result of its `toJSON`, called as `JSON.stringify` does. */
function callToJson(value: unknown, key: string): unknown {
  const object = Object(value);
  return typeof object.toJSON === 'function' && !isStub(object) ? object.toJSON(key) : value;
}

/**
 * Returns whether a value is an RPC stub or promise. These have every property, and their `toJSON` would send
 * a request.
 */
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

/**
 * Returns a description of the reason why a value could not be copied. A getter or `toJSON` can throw
 * anything, and the text can exceed the maximum length of a string.
 */
function describeCopyFailure(thrown: unknown): string {
  try {
    if (thrown instanceof NotJsonError) return thrown.message;
    if (thrown instanceof Error && thrown.message) return `unreadable (${shorten(`${thrown.message}`, 200)})`;
  } catch {
    // The thrown value cannot be read.
  }
  return 'unreadable';
}
