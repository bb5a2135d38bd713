import { ModelError } from '../chat-model.ts';

/** A JSON object of unknown content. Its values are read under fixed names only. */
export type UntrustedRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object: not `null`, not an array. */
export const isRecord = (value: unknown): value is UntrustedRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The parsed JSON, or `undefined` for text that is not JSON (JSON itself has no `undefined`). */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** True for text that is one JSON object and nothing else. */
export const isJsonObjectText = (text: string): boolean =>
  text.trimEnd().endsWith('}') && isRecord(parseJson(text));

/** The error for a reply that breaks the protocol; `problem` is our own text, never the server's. */
export const invalidReply = (problem: string): ModelError => new ModelError('invalid-reply', problem);

/**
 * The string under `key`; the empty string when it is absent or `null`, as many servers fill their gaps with `null`.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const stringOf = (record: UntrustedRecord, key: string): string => {
  const value = record[key] ?? '';
  if (typeof value !== 'string')
    throw invalidReply(`The model's reply holds a '${key}' that is not a string.`);
  return value;
};

/**
 * The list under `key`; empty when it is absent or `null`.
 *
 * @throws ModelError `invalid-reply` for any other type.
 */
export const listOf = (record: UntrustedRecord, key: string): readonly unknown[] => {
  const value: unknown = record[key] ?? [];
  if (!Array.isArray(value)) throw invalidReply(`The model's reply holds '${key}' that is not a list.`);
  return value;
};
