import type { RequestKey } from '../journal/session-port.ts';
import { sha256Hex } from '../tools/sha256.ts';
import { Problem } from './problem.ts';

/** How long a retry finds its turn, in ms. */
const KEY_TTL = 24 * 60 * 60 * 1000;

/** The `Idempotency-Key` of a request, bound to its body. @throws Problem when the header cannot be one. */
export async function idempotencyKey(headers: Headers, body: string): Promise<RequestKey | undefined> {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem(400, 'invalid-header', 'Idempotency-Key is 1 to 255 visible ASCII characters.');
  }
  return { key, bodyHash: await sha256Hex(body), ttl: KEY_TTL };
}
