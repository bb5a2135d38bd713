import { ModelError } from './chat-model.ts';
import type { RequestedCall } from './parts.ts';
import { isRecord, parseJson, type UntrustedRecord } from './untrusted-json.ts';

/** True for text that is one JSON object and nothing else. */
export const isJsonObjectText = (text: string): boolean =>
  text.trimEnd().endsWith('}') && isRecord(parseJson(text));

/** The error for a reply that breaks the protocol; `problem` says what it is or holds, in our own words, never the server's. */
export const invalidReply = (problem: string): ModelError =>
  new ModelError('invalid-reply', `The model's reply ${problem}`);

/** The value, which must be a JSON object. @throws ModelError `invalid-reply` if it is anything else; `what` is it then, as in `a delta that`. */
export function mustBeRecord(value: unknown, what: string): UntrustedRecord {
  if (isRecord(value)) return value;
  throw invalidReply(`holds ${what} is not an object.`);
}

/** The error for a reply that stops in its middle. */
export const cutShort = (): ModelError =>
  new ModelError('truncated', "The model's reply ended before it was complete.");

/** The error for a reply whose connection ended with an error. */
export const brokenConnection = (): ModelError =>
  new ModelError('truncated', "The connection to the model's server broke before the reply was complete.");

/**
 * The parsed JSON of a reply, or of one event of it.
 *
 * @throws ModelError `invalid-reply` for text that is not JSON, with `hint` after the sentence that says so.
 */
export const parseReply = (text: string, hint = ''): unknown => {
  const value = parseJson(text);
  if (value === undefined) throw invalidReply(`is not JSON.${hint}`);
  return value;
};

/**
 * The string under `key`; the empty string when it is absent or `null`, as many servers fill their gaps with `null`.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const stringOf = (record: UntrustedRecord, key: string): string => {
  const value = record[key] ?? '';
  if (typeof value !== 'string') throw invalidReply(`holds a '${key}' that is not a string.`);
  return value;
};

/**
 * The list under `key`; empty when it is absent or `null`.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const listOf = (record: UntrustedRecord, key: string): readonly unknown[] => {
  const value: unknown = record[key] ?? [];
  if (!Array.isArray(value)) throw invalidReply(`holds '${key}' that is not a list.`);
  return value;
};

/**
 * The JSON text of a value that a server or a library had parsed already; text stays as it is, and nothing is no text.
 *
 * @throws ModelError `invalid-reply` for what JSON cannot hold.
 */
export const jsonTextOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  try {
    // Its type leaves out that there is no text for a symbol or a function.
    const text: string | undefined = JSON.stringify(value);
    if (text !== undefined) return text;
  } catch {
    // JSON can hold neither a cycle nor a bigint.
  }
  throw invalidReply('holds a value that is not JSON.');
};

/**
 * The calls in their order, each with an id that no other has: some servers send none, or the same one twice.
 *
 * @throws ModelError `invalid-reply` for a call without a name.
 */
export const withUniqueIds = (calls: readonly RequestedCall[]): readonly RequestedCall[] => {
  const taken = new Set<string>();
  // By the id that was wanted: the copies before it are taken, so that a thousand equal ids need a thousand steps.
  const nextCopies = new Map<string, number>();
  return calls.map(({ id, name, input }, position) => {
    if (name === '') throw invalidReply('asks for a tool without naming it.');
    const wanted = id || `call_${position}`;
    let unique = wanted;
    let copy = nextCopies.get(wanted) ?? 2;
    for (; taken.has(unique); copy += 1) unique = `${wanted}_${copy}`;
    nextCopies.set(wanted, copy);
    taken.add(unique);
    return { id: unique, name, input };
  });
};

/** The most characters of one reply: more than any model writes at once, and little enough for a Worker, which has 128 MB. */
export const MAX_REPLY_LENGTH = 8 * 1024 * 1024;

/**
 * Creates a function that counts the characters of one reply as they arrive.
 *
 * @throws ModelError `invalid-reply` once there are more than `MAX_REPLY_LENGTH`.
 */
export const createLengthLimit = (): ((more: number) => void) => {
  let length = 0;
  return (more) => {
    length += more;
    if (length <= MAX_REPLY_LENGTH) return;
    throw invalidReply(`is longer than ${MAX_REPLY_LENGTH} characters.`);
  };
};
