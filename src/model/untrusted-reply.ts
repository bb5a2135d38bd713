import { ModelError } from './chat-model.ts';
import { isRecord, parseJson, type UntrustedRecord } from './untrusted-json.ts';

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
