import type { Json } from './json.ts';
import { formatPath, shorten } from './json-text.ts';

/** Where a value stops being JSON: `what` completes "the value at `$.a.b` is ...". */
export interface NonJson {
  readonly path: string;
  readonly what: string;
}

/** A deep copy, or the first thing that is not JSON. */
export type JsonCopy =
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
