import type { Secrets } from '../../tool/secrets.ts';
import { oneLine } from '../content/one-line.ts';

/** Characters of one line of the log. */
const MAX_WORDS = 4_000;

/** Logs words of which a server chose some: on one line, and without the caller's secrets. */
export const warn = (words: string, secrets: Secrets): void =>
  console.warn(`holdfast: ${oneLine(secrets.redact(words), MAX_WORDS)}`);
