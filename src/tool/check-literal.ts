import { isJsonObject, shorten } from './json.ts';

/**
 * What the literal of a definition may hold: each key with the kind of its value. `any` is for what is checked by itself.
 */
export interface LiteralShape<Key extends string = string> {
  /** The function that takes the literal, as in `defineTool`. */
  readonly of: string;
  readonly keys: Readonly<Record<Key, LiteralKind>>;
  readonly required: readonly Key[];
  /** Words of other libraries, each with ours. Beside ours they are passed over. */
  readonly foreign?: Readonly<Record<string, string>> | undefined;
  /** What made things hold beside these keys, so that one can be spread into the literal of another. */
  readonly made?: readonly string[] | undefined;
}

/** What kind of value a key takes. */
export type LiteralKind = 'text' | 'flag' | 'list' | 'object' | 'function' | 'schema' | 'any';

/** One thing that is wrong with a literal. */
export interface LiteralFault {
  /** The key that is wrong. */
  readonly field: string;
  /** A sentence without its subject, as in `has no 'name': use a text`. */
  readonly problem: string;
}

/**
 * Says what is wrong with a literal before anything is read of it, since plain JavaScript may hand over anything; `undefined`
 * when each of its keys is known, those that are required are there, and their values are of the right kind.
 */
export function literalFault(config: unknown, shape: LiteralShape): LiteralFault | undefined {
  if (typeof config !== 'object' || config === null || Array.isArray(config) || config instanceof Promise) {
    return { field: '', problem: `is made of ${shown(config)}: use one object, as in ${shape.of}({ ... })` };
  }
  const given = Object.entries(config).filter(([, value]) => value !== undefined);
  for (const [key] of given) {
    const problem = unknownKey(key, config, shape);
    if (problem !== undefined) return { field: key, problem };
  }
  const missing = shape.required.find((key) => Reflect.get(config, key) === undefined);
  if (missing !== undefined) {
    return { field: missing, problem: `has no '${missing}': use ${KINDS[shape.keys[missing] ?? 'any'][0]}` };
  }
  for (const [key, value] of given) {
    const kind = shape.keys[key] ?? 'any';
    const [use, fits] = KINDS[kind];
    if (fits(value)) continue;
    // A text in place of a function may be a credential, as of `auth`.
    const said = kind === 'function' && typeof value === 'string' ? 'a text' : shown(value);
    return { field: key, problem: `has ${said} as its '${key}': use ${use}` };
  }
  return undefined;
}

const KINDS: Readonly<Record<LiteralKind, readonly [use: string, fits: (value: unknown) => boolean]>> = {
  text: ['a text', (value) => typeof value === 'string'],
  flag: ['true or false', (value) => typeof value === 'boolean'],
  list: ['a list, as in [one, another]', Array.isArray],
  object: ['an object', isJsonObject],
  function: ['a function', (value) => typeof value === 'function'],
  schema: ['a schema', (value) => typeof value === 'function' || isJsonObject(value)],
  any: ['a value', () => true],
};

/** Says what is to be written in place of a key that is not known. */
function unknownKey(key: string, config: object, shape: LiteralShape): string | undefined {
  const { of, keys, foreign = {}, made = [] } = shape;
  if (Object.hasOwn(keys, key) || made.includes(key)) return undefined;
  const ours = Object.hasOwn(foreign, key) ? foreign[key] : undefined;
  if (ours !== undefined) {
    if (Reflect.get(config, ours) !== undefined) return undefined;
    const mend = Object.hasOwn(keys, ours) ? 'rename it' : 'write that';
    return `has '${key}' in place of '${ours}'; ${mend}`;
  }
  const known = Object.keys(keys);
  const meant = nearest(key, known, Math.ceil(key.length / 3));
  const rest = meant === undefined ? `It takes ${known.join(', ')}.` : `Did you mean '${meant}'?`;
  return `has '${shorten(key, 80)}', which ${of} does not take. ${rest}`;
}

/** A key of a literal inside another that is not known. */
export interface Stranger {
  readonly path: string;
  readonly value: string;
  /** What to write in its place, to go on after "use ". */
  readonly use: string;
}

/** The first key of a literal inside another that is none of these; `undefined` when there is none. */
export function strangerIn(
  given: unknown,
  known: object,
  foreign: Readonly<Record<string, string>> = {},
): Stranger | undefined {
  const found = Object.entries(Object(given)).find(
    ([key, value]) => value !== undefined && !Object.hasOwn(known, key),
  );
  if (!found) return undefined;
  const [key, value] = found;
  const keys = Object.keys(known);
  const ours = Object.hasOwn(foreign, key) ? foreign[key] : nearest(key, keys, Math.ceil(key.length / 3));
  const use = ours === undefined ? `one of ${keys.join(', ')}` : `'${ours}'`;
  return { path: shorten(key, 80), value: shown(value), use };
}

/** The name that stands in a literal, for the error about it; blank when there is none. */
export const nameIn = (config: unknown, key = 'name'): string => {
  const name: unknown = Object(config)[key];
  return typeof name === 'string' ? name : '';
};

/** The sentence with its full stop, unless it ends by itself. */
export const ended = (sentence: string): string => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`);

/** A value as an error names it: short values as they are, and of others what they are. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return `'${shorten(value, 80)}'`;
  if (typeof value === 'function')
    return `${isClass(value) ? 'the class' : 'the function'} ${value.name}`.trim();
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Tells a class from a function that can be called. */
export const isClass = (value: object): boolean =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

/** The word that differs least from this one, in at most so many letters that are missing, added, other or swapped. */
export function nearest(word: string, words: readonly string[], most: number): string | undefined {
  const ranked = words
    .map((other) => ({ other, far: distance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.other;
}

/** Counts the letters by which two words differ; a swap of neighbours counts once. */
function distance(a: string, b: string): number {
  if (a.length > MOST_LETTERS) return MOST_LETTERS;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (line: readonly number[], index: number): number => line[index] ?? MOST_LETTERS;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? at(before, j - 2) + 1 : MOST_LETTERS,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? MOST_LETTERS;
}

const MOST_LETTERS = 64;
