import { ModelError } from './chat-model.ts';
import type { RequestedCall } from './parts.ts';
import { isRecord, parseJson, type UntrustedRecord } from './untrusted-json.ts';

/** Returns whether the text is exactly one JSON object. */
export const isJsonObjectText = (text: string): boolean =>
  text.trimEnd().endsWith('}') && isRecord(parseJson(text));

/**
 * Returns the error for a reply that breaks the protocol. `problem` describes it in our own words, never the
 * server's.
 */
export const createInvalidReplyError = (problem: string): ModelError =>
  new ModelError('invalid-reply', `The model's reply ${problem}`);

/**
 * Returns the value, which must be a JSON object. `what` names it in the error, as in `a delta that`.
 *
 * @throws ModelError `invalid-reply` if it is not an object.
 */
export function requireRecord(value: unknown, what: string): UntrustedRecord {
  if (isRecord(value)) return value;
  throw createInvalidReplyError(`holds ${what} is not an object.`);
}

export const createTruncatedReplyError = (): ModelError =>
  new ModelError('truncated', "The model's reply ended before it was complete.");

/** Returns the error for a reply whose connection failed. */
export const createBrokenConnectionError = (): ModelError =>
  new ModelError('truncated', "The connection to the model's server broke before the reply was complete.");

/**
 * Parses the JSON of a reply or of one of its events.
 *
 * @throws ModelError `invalid-reply` for invalid JSON. The message ends with `hint`.
 */
export const parseReply = (text: string, hint = ''): unknown => {
  const value = parseJson(text);
  if (value === undefined) throw createInvalidReplyError(`is not JSON.${hint}`);
  return value;
};

/**
 * Returns the string under `key`, or an empty string if it is absent or `null`. Many servers send `null` for
 * absent values.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const readString = (record: UntrustedRecord, key: string): string => {
  const value = record[key] ?? '';
  if (typeof value !== 'string') throw createInvalidReplyError(`holds a '${key}' that is not a string.`);
  return value;
};

/**
 * Returns the list under `key`, or an empty list if it is absent or `null`.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const readList = (record: UntrustedRecord, key: string): readonly unknown[] => {
  const value: unknown = record[key] ?? [];
  if (!Array.isArray(value)) throw createInvalidReplyError(`holds '${key}' that is not a list.`);
  return value;
};

/**
 * Returns the JSON text of a value that a server or a library has already parsed. A string is returned
 * unchanged; `null` and `undefined` yield an empty string.
 *
 * @throws ModelError `invalid-reply` for a value that JSON cannot represent.
 */
export const toJsonText = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    // The declared type omits `undefined`, which a symbol or a function yields.
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // JSON cannot represent a cycle or a bigint.
  }
  throw createInvalidReplyError('holds a value that is not JSON.');
};

/**
 * Returns the calls in order, each with a unique id. Some servers send no ids, or repeat one.
 *
 * @throws ModelError `invalid-reply` for a call without a name.
 */
export const withUniqueIds = (calls: readonly RequestedCall[]): readonly RequestedCall[] => {
  const taken = new Set<string>();
  // The number of the next copy, by original id. It keeps the number of steps linear, even for a thousand
  // equal ids.
  const nextCopies = new Map<string, number>();
  return calls.map(({ id, name, input }, position) => {
    if (name === '') throw createInvalidReplyError('asks for a tool without naming it.');
    const wanted = id || `call_${position}`;
    let unique = wanted;
    let copy = nextCopies.get(wanted) ?? 2;
    for (; taken.has(unique); copy += 1) unique = `${wanted}_${copy}`;
    nextCopies.set(wanted, copy);
    taken.add(unique);
    return { id: unique, name, input };
  });
};

/**
 * The maximum number of characters in one reply. More than any model writes at once, and small enough for a
 * Worker with 128 MB.
 */
export const MAX_REPLY_LENGTH = 8 * 1024 * 1024;

/**
 * Creates a function that counts the characters of one reply as they arrive.
 *
 * @throws ModelError `invalid-reply` above `MAX_REPLY_LENGTH`.
 */
export const createLengthLimit = (): ((more: number) => void) => {
  let length = 0;
  return (more) => {
    length += more;
    if (length <= MAX_REPLY_LENGTH) return;
    throw createInvalidReplyError(`is longer than ${MAX_REPLY_LENGTH} characters.`);
  };
};
