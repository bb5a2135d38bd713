/** The names of values in errors about definitions. */
import { mapTexts, shorten } from './json.ts';

/** Returns the name of a value for an error: the value itself if it is short, and otherwise its kind. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return `'${shorten(value, 80)}'`;
  if (typeof value === 'function')
    return `${isClass(value) ? 'the class' : 'the function'} ${value.name}`.trim();
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Returns whether a function is a class, which cannot be called. */
export const isClass = (value: object): boolean =>
  typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));

/** Returns the name in a literal, for an error about it, or an empty string. */
export const readName = (config: unknown, key = 'name'): string => {
  const name: unknown = Object(config)[key];
  return typeof name === 'string' ? name : '';
};

/** Adds a full stop to a sentence, unless it ends with one. */
export const withFullStop = (sentence: string): string =>
  /[.?]$/.test(sentence) ? sentence : `${sentence}.`;

/**
 * Returns the error for an agent that an app lacks. `what`: the code that refers to it, as in `Agent 'a' has
 * the subagent`.
 */
export const describeUnknownAgent = (what: string, name: string, meant: string | undefined): string =>
  `${what} '${name}', which is not among the agents.${meant === undefined ? '' : ` Did you mean '${meant}'?`}`;

/**
 * Matches invisible characters, and characters that change how others are displayed: format characters, such
 * as those that change the text direction, control characters, line separators, lone surrogates and fillers.
 * Excludes line breaks, tabs and variation selectors.
 */
export const INVISIBLE_CHARACTERS = /(?!\r\n|\n|\t|\ufe0e|\ufe0f)[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{DI}]/gu;

/**
 * Writes invisible characters as escapes such as `\u{202e}`, for people who decide based on the text. It is
 * idempotent.
 */
export const escapeInvisible = (text: string): string =>
  text.replaceAll(INVISIBLE_CHARACTERS, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);

/** Does the same for the strings and keys of JSON-like data. The original data stays authoritative. */
export const escapeInvisibleData = <Value>(value: Value): Value => mapTexts(value, escapeInvisible);

/** Converts escapes such as `\u{202e}` in edited data back to characters that the original data contained. */
export function unescapeInvisible<Value>(written: Value, data: unknown): Value {
  const shown = new Map<string, string>();
  mapTexts(data, (text) => {
    for (const [one] of text.matchAll(INVISIBLE_CHARACTERS)) shown.set(escapeInvisible(one), one);
    return text;
  });
  if (shown.size === 0) return written;
  return mapTexts(written, (text) => text.replaceAll(/\\u\{[0-9a-f]+\}/g, (one) => shown.get(one) ?? one));
}

/**
 * Returns a random mark that these texts do not contain, so that their authors cannot have guessed it. It is
 * created once, when the texts enter a session, and stored with them, so that the model always sees the same
 * text.
 */
export function createFenceMark(texts: readonly string[]): string {
  for (;;) {
    const mark = crypto.randomUUID().slice(0, 8);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}

/**
 * Encloses untrusted text in two marks. The text cannot contain the end mark. `between`: the separator
 * between the marks and the text.
 */
export const fenceUntrusted = (words: string, mark: string, between: '\n' | ' '): string =>
  `[untrusted ${mark}]${between}${words}${between}[/untrusted ${mark}]`;

/**
 * Replaces the fences in a line with quotes, so that equal texts are equal regardless of their marks. Skips
 * marks without an end, so that a line with many beginnings is read only once.
 */
export function quoteFences(line: string): string {
  const lastEnds = new Map(Array.from(line.matchAll(FENCE_END), ({ index, 1: mark }) => [mark, index]));
  let quoted = '';
  let from = 0;
  for (const { index, 0: start, 1: mark } of line.matchAll(FENCE_START)) {
    const begin = index + start.length;
    if (index < from || (lastEnds.get(mark) ?? -1) < begin) continue;
    const end = line.indexOf(` [/untrusted ${mark}]`, begin);
    quoted += `${line.slice(from, index)}"${line.slice(begin, end)}"`;
    from = end + ` [/untrusted ${mark}]`.length;
  }
  return quoted + line.slice(from);
}

const FENCE_START = /\[untrusted ([0-9a-f]{8})\] /g;
const FENCE_END = / \[\/untrusted ([0-9a-f]{8})\]/g;

/**
 * Returns the word with the fewest differences from this one, at most `most`. A missing, added, different or
 * swapped letter counts as one.
 */
export function findNearest(word: string, words: readonly string[], most: number): string | undefined {
  const ranked = words
    .map((other) => ({ other, far: editDistance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.other;
}

/** Returns the word with the same first three letters, ignoring case. */
export const findByPrefix = (given: string, words: readonly string[]): string | undefined =>
  words.find((word) => given.trim().toLowerCase().startsWith(word.slice(0, 3)));

/** Counts the letters by which two words differ. A swap of neighbors counts once. */
function editDistance(a: string, b: string): number {
  if (a.length > MAX_COMPARED_LETTERS) return MAX_COMPARED_LETTERS;
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const getCost = (line: readonly number[], index: number): number => line[index] ?? MAX_COMPARED_LETTERS;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          getCost(last, j) + 1,
          getCost(row, j - 1) + 1,
          getCost(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwap ? getCost(before, j - 2) + 1 : MAX_COMPARED_LETTERS,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? MAX_COMPARED_LETTERS;
}

const MAX_COMPARED_LETTERS = 64;
