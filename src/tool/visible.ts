import { mapTexts } from './json.ts';

/**
 * Characters that nobody sees, or that change what is seen of others: of format, such as those that turn the direction of what
 * follows, control characters, separators of lines, halves of a pair, and fillers. Line ends, tabs and what only chooses the
 * form of a sign are left.
 */
const UNSEEN = /(?!\r\n|\n|\t|\ufe0e|\ufe0f)[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{DI}]/gu;

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
