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
 * Copies a value through JSON when nothing of it is lost by that; properties that are `undefined` or have a symbol
 * as their key are dropped (an object that came over RPC has such a key: `Symbol.dispose`). Never throws.
 */
export function copyJson(value: unknown): JsonCopy {
  const path: PropertyKey[] = [];
  try {
    const what = findNonJson(value, path, new Set());
    if (what !== undefined) return { ok: false, problem: { path: formatPath(path, '$'), what } };
    return { ok: true, value: JSON.parse(JSON.stringify(value)) };
  } catch {
    // A getter threw, or the text would be longer than a string can be.
    return { ok: false, problem: { path: formatPath(path, '$'), what: 'unreadable' } };
  }
}

/** Leaves `path` at the place of its answer. `parents` are the objects that are being looked into. */
function findNonJson(node: unknown, path: PropertyKey[], parents: Set<object>): string | undefined {
  if (node === null || typeof node === 'string' || typeof node === 'boolean') return undefined;
  if (typeof node === 'number') return Number.isFinite(node) ? undefined : String(node);
  if (typeof node === 'undefined') return 'undefined';
  if (typeof node !== 'object') return `a ${typeof node}`;
  if (parents.has(node)) return 'one of its own parents';
  if (path.length >= MAX_DEPTH) return `nested more than ${MAX_DEPTH} levels deep`;
  if (!Array.isArray(node) && !isPlainObject(node)) return describeInstance(node);

  parents.add(node);
  for (const [key, child] of children(node)) {
    path.push(key);
    const what = findNonJson(child, path, parents);
    if (what !== undefined) return what;
    path.pop();
  }
  parents.delete(node);
  return undefined;
}

/** Holes of an array count as `undefined`; a property that is `undefined` does not count. */
function* children(node: object): Generator<readonly [PropertyKey, unknown]> {
  if (Array.isArray(node)) yield* node.entries();
  else for (const entry of Object.entries(node)) if (entry[1] !== undefined) yield entry;
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describeInstance(value: object): string {
  const name = shorten(value.constructor?.name ?? '', 40);
  if (name === '') return 'an instance of a class';
  return `${/^[AEIOU]/i.test(name) ? 'an' : 'a'} ${name}`;
}
