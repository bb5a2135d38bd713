import { ENCODER } from '../../tool/async.ts';
import { readSecrets, type SecretSource } from '../../tool/env.ts';
import { type WebhookEnv, WebhookRefusal } from './webhook.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** What `isSigned` is asked: whether content was signed by HMAC-SHA256. */
export interface Signed {
  /** The secrets; a signature with any of them holds. */
  readonly secrets: readonly (string | Bytes)[];
  /** What came as signatures; any of them may hold. */
  readonly signatures: readonly Bytes[];
  /** What was signed, in order. */
  readonly content: readonly (string | Bytes)[];
}

/** A sender signs with as many secrets as it has at a time; who has more is guessing. */
const MAX_SIGNATURES = 8;

/**
 * Tells whether one of the signatures is that of the content under one of the secrets. Passes over the content once for
 * each secret, however many signatures there are, and compares in constant time. @throws WebhookRefusal when there are
 * more than eight.
 */
export async function isSigned({ secrets, signatures, content }: Signed): Promise<boolean> {
  if (signatures.length > MAX_SIGNATURES) {
    const problem = `The delivery carries ${signatures.length} signatures; at most ${MAX_SIGNATURES} are checked.`;
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const data = joined(content);
  for (const secret of secrets) {
    const right = await hmacOf(secret, data);
    if (signatures.some((signature) => isSame(signature, right))) return true;
  }
  return false;
}

/** The HMAC-SHA256 of the content under a secret. */
export async function hmacOf(secret: string | Bytes, content: string | Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', toBytes(secret), HMAC, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, toBytes(content)));
}

/** The refusal of a signature that does not hold. It does not say which of the secrets were tried. */
export const notSigned = (): WebhookRefusal =>
  new WebhookRefusal(
    'invalid-signature',
    'The signature is not that of this body under the secret of this Worker: the two sides have different secrets, or the ' +
      'body was changed on its way.',
  );

/** The 32 bytes of 64 lower-case hexadecimal digits; `undefined` for anything else. */
export function fromHex(text: string): Bytes | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** The bytes of padded base64; `undefined` for anything else, also for a second spelling of the same bytes. */
export function fromBase64(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
}

const PREFIX = 'whsec_';

/** Standard Webhooks asks for so many ("between 24 bytes (192 bits) and 64 bytes"); a longer one is no weaker, and is taken. */
const MIN_BYTES = 24;

/** What a secret of Standard Webhooks has to be. */
export const STANDARD_KEY_RULE = `has to be whsec_ and the base64 of ${MIN_BYTES} bytes or more`;

/** The bytes of a secret of Standard Webhooks, which is written in base64, mostly after `whsec_`; `undefined` when it is none. */
export function standardKey(secret: string): Bytes | undefined {
  const key = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  return key && key.byteLength >= MIN_BYTES ? key : undefined;
}

/** Compares in a time that does not tell where the two differ; how long a signature is, everybody knows. */
function isSame(one: Bytes, other: Bytes): boolean {
  if (one.byteLength !== other.byteLength) return false;
  let difference = 0;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const toBytes = (part: string | Bytes): Bytes =>
  typeof part === 'string' ? new Uint8Array(ENCODER.encode(part)) : part;

function joined(content: Signed['content']): Bytes {
  const parts = content.map(toBytes);
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/**
 * Returns the secrets that are set. Each may be a binding of the Secrets Store.
 *
 * Rejects with a WebhookRefusal `not-configured` when none is set, which does not repeat the source since the sender reads it, and with
 * what the store does.
 */
export async function secretsOf(env: WebhookEnv, source: SecretSource): Promise<readonly string[]> {
  const secrets = await readSecrets(env, source);
  if (secrets.length > 0) return secrets;
  throw new WebhookRefusal(
    'not-configured',
    'This Worker has no secret to check the delivery with, so it is not taken. Set the var that the `secret` of this webhook reads ' +
      '(wrangler secret put).',
  );
}

/** The sender's clock and this one may be so far apart, in s: Stripe, Slack and Standard Webhooks recommend it. */
const TOLERANCE_S = 300;

/**
 * Refuses what was signed too long ago, or in the future: a delivery that somebody has kept. `sent` is in seconds since the
 * epoch, `now` in milliseconds; `name` is the header's. @throws WebhookRefusal then, or when `sent` is no such number.
 */
export function checkTimely(name: string, sent: string, now: number): void {
  if (!/^[0-9]{1,12}$/.test(sent)) {
    throw new WebhookRefusal('invalid-signature', `${name} has no time in seconds since 1970.`);
  }
  const apart = Math.floor(now / 1000) - Number(sent);
  if (Math.abs(apart) <= TOLERANCE_S) return;
  throw new WebhookRefusal(
    'invalid-signature',
    `The delivery was signed ${Math.abs(apart)} s ${apart > 0 ? 'ago' : 'in the future'} by this Worker's clock; at most ` +
      `${TOLERANCE_S} s are allowed. Send it again, signed anew.`,
  );
}
