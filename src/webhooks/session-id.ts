import { sha256Hex } from '../tools/sha256.ts';

const MAX_LENGTH = 128;
const KEPT_OF_LONG = 60;

/**
 * A session id of these parts, such as `acme:shop:42`; different parts never get the same id. What an id cannot hold is
 * written as `@` and four hexadecimal digits, and what is too long is cut and ends in its SHA-256.
 */
export async function toSessionId(...parts: readonly string[]): Promise<string> {
  const id = parts.map(escaped).join(':');
  if (id === '') return '@@'; // `@@` stands in no other short id
  if (id.length <= MAX_LENGTH) return id;
  return `${id.slice(0, KEPT_OF_LONG)}@@${await sha256Hex(id)}`;
}

/** `:` separates the parts and `@` escapes, so both are escaped inside of them. By code units: half a pair is a text, too. */
const escaped = (part: string): string =>
  part.replaceAll(/[^A-Za-z0-9_.-]/g, (unit) => `@${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
