/** How errors of definitions name what they are about. */
import { mapTexts, shorten } from './json.ts';

/** Returns a value as an error names it: short values as they are, of others their kind. */
export function shown(value: unknown): string {
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

/** Returns the name in a literal, for the error about it; blank if there is none. */
export const nameIn = (config: unknown, key = 'name'): string => {
  const name: unknown = Object(config)[key];
  return typeof name === 'string' ? name : '';
};

/** Returns the sentence with a full stop, if it does not end by itself. */
export const ended = (sentence: string): string => (/[.?]$/.test(sentence) ? sentence : `${sentence}.`);

/** Returns the error about the name of an agent that an app lacks. `what`: what names it, as in `Agent 'a' has the subagent`. */
export const notAmong = (what: string, name: string, meant: string | undefined): string =>
  `${what} '${name}', which is not among the agents.${meant === undefined ? '' : ` Did you mean '${meant}'?`}`;

/**
 * Characters that nobody sees, or that change what is seen of others: of format, such as those that turn the direction of what
 * follows, control characters, separators of lines, halves of a pair, and fillers. Line ends, tabs and what only chooses the
 * form of a sign are left.
 */
export const UNSEEN = /(?!\r\n|\n|\t|\ufe0e|\ufe0f)[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{DI}]/gu;

/** Shows a text to whoever decides by it: what could not be seen stands there as `\u{202e}`. Applied again it changes nothing. */
export const visible = (text: string): string =>
  text.replaceAll(UNSEEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);

/** The same for the texts and keys of JSON-like data; the data itself is what counts. */
export const visibleIn = <Value>(value: Value): Value => mapTexts(value, visible);

/** Reads what somebody has made of shown data: `\u{202e}` is that character again, where the data had it. */
export function fromVisible<Value>(written: Value, data: unknown): Value {
  const shown = new Map<string, string>();
  mapTexts(data, (text) => {
    for (const [one] of text.matchAll(UNSEEN)) shown.set(visible(one), one);
    return text;
  });
  if (shown.size === 0) return written;
  return mapTexts(written, (text) => text.replaceAll(/\\u\{[0-9a-f]+\}/g, (one) => shown.get(one) ?? one));
}

/**
 * Draws a mark that none of these texts holds: whoever wrote them could not know it. It is drawn once, when the texts enter a
 * session, and is kept with them, so that what a model was shown stays as it was.
 */
export function drawMark(texts: readonly string[]): string {
  for (;;) {
    const mark = crypto.randomUUID().slice(0, 8);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}

/** Puts words of somebody outside between two marks, with this between the marks and them: no words can end what is theirs. */
export const fenced = (words: string, mark: string, between: '\n' | ' '): string =>
  `[untrusted ${mark}]${between}${words}${between}[/untrusted ${mark}]`;

/**
 * A line with fenced words in quotes instead: the same for the same words, whichever mark was drawn for them. A mark that has no
 * end is passed over, so that a line of many beginnings is read once.
 */
export function asQuoted(line: string): string {
  const lastEnds = new Map(Array.from(line.matchAll(END), ({ index, 1: mark }) => [mark, index]));
  let quoted = '';
  let from = 0;
  for (const { index, 0: start, 1: mark } of line.matchAll(START)) {
    const begin = index + start.length;
    if (index < from || (lastEnds.get(mark) ?? -1) < begin) continue;
    const end = line.indexOf(` [/untrusted ${mark}]`, begin);
    quoted += `${line.slice(from, index)}"${line.slice(begin, end)}"`;
    from = end + ` [/untrusted ${mark}]`.length;
  }
  return quoted + line.slice(from);
}

const START = /\[untrusted ([0-9a-f]{8})\] /g;
const END = / \[\/untrusted ([0-9a-f]{8})\]/g;

/** Returns the word that differs least from this one, in at most `most` letters that are missing, added, other or swapped. */
export function nearest(word: string, words: readonly string[], most: number): string | undefined {
  const ranked = words
    .map((other) => ({ other, far: distance(word.toLowerCase(), other.toLowerCase()) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.other;
}

/** Returns the word that begins as this one does, but for its case. */
export const meantBy = (given: string, words: readonly string[]): string | undefined =>
  words.find((word) => given.trim().toLowerCase().startsWith(word.slice(0, 3)));

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
