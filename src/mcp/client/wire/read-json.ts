import { ResponseTooLargeError } from './wire-error.ts';

/**
 * Braces, brackets, commas and colons of one text: a megabyte of `{},` fills the memory of a Worker once it is parsed, and
 * keeps it busy for seconds.
 */
const MAX_PARTS = 200_000;

/**
 * The JSON in a text; undefined when it is none.
 *
 * @throws ResponseTooLargeError when it is made of more parts than is good for anybody, whatever its length.
 */
export function readJson(text: string): unknown {
  if (hasMoreParts(text, MAX_PARTS)) throw new ResponseTooLargeError(MAX_PARTS, 'parts of JSON');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Begins as the answer to a request does: with a result, after nothing but what every message has. */
const ANSWER =
  /^\s{0,9}\{\s{0,9}(?:"(?:jsonrpc|id)"\s{0,9}:\s{0,9}[^,{[]{1,80},\s{0,9}){0,2}"result"\s{0,9}:/;

/** Tells whether the beginning of a text, which is too long to be read, shows that it is an answer. */
export const beginsAnswer = (text: string): boolean => ANSWER.test(text.slice(0, 300));

function hasMoreParts(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[' || char === ',' || char === ':') parts += 1;
    if (parts > max) return true;
  }
  return false;
}

/** Finds where the string ends that begins there, or the end of the text when it does not end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** A quote is escaped after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}
