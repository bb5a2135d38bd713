import { ENCODER } from '../../tool/async.ts';
import { readSecrets, type SecretSource } from '../../tool/env.ts';
import { type WebhookEnv, WebhookRefusal } from './webhook.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** The input of `isSigned`. */
export interface SignatureCheck {
  /** The secrets. A signature with any of them is valid. */
  readonly secrets: readonly (string | Bytes)[];
  /** The signatures in the request. One valid signature is enough. */
  readonly signatures: readonly Bytes[];
  /** The signed content, in order. */
  readonly content: readonly (string | Bytes)[];
}

/**
 * The maximum number of signatures. A sender signs with each of its current secrets, so more signatures are a
 * guessing attempt.
 */
const MAX_SIGNATURES = 8;

/**
 * Returns whether one of the signatures is valid for the content under one of the secrets. Hashes the content
 * once for each secret, regardless of the number of signatures, and compares in constant time.
 *
 * @throws WebhookRefusal if there are more than eight signatures.
 *
 * @example
 * ```ts
 * const signature = fromHex(headers.get('linear-signature') ?? '');
 * const secrets = await secretsOf(env, 'LINEAR_SECRET');
 * const content = [headers.get('linear-delivery') ?? '', body];
 * if (!signature || !(await isSigned({ secrets, signatures: [signature], content }))) throw notSigned();
 * ```
 */
export async function isSigned({ secrets, signatures, content }: SignatureCheck): Promise<boolean> {
  if (signatures.length > MAX_SIGNATURES) {
    const problem = `The delivery carries ${signatures.length} signatures; at most ${MAX_SIGNATURES} are checked.`;
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const data = concatBytes(content);
  for (const secret of secrets) {
    const right = await computeHmac(secret, data);
    if (signatures.some((signature) => isEqualInConstantTime(signature, right))) return true;
  }
  return false;
}

/** Returns the HMAC-SHA256 of the content under a secret. */
export async function computeHmac(secret: string | Bytes, content: string | Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', toBytes(secret), HMAC_ALGORITHM, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, toBytes(content)));
}

/** Returns the refusal for an invalid signature. It does not reveal which secrets were tried. */
export const notSigned = (): WebhookRefusal =>
  new WebhookRefusal(
    'invalid-signature',
    'The signature does not match the body: the two sides have different secrets, or the ' +
      'body was changed on its way.',
  );

/** Decodes 64 lower-case hexadecimal digits to 32 bytes, or returns `undefined`. */
export function fromHex(text: string): Bytes | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** Decodes padded base64, or returns `undefined`. Rejects a non-canonical encoding. */
export function fromBase64(text: string): Bytes | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return undefined;
  const binary = atob(text);
  return btoa(binary) === text ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined;
}

const SECRET_PREFIX = 'whsec_';

/**
 * The minimum in Standard Webhooks ("between 24 bytes (192 bits) and 64 bytes"). Longer secrets are accepted,
 * since they are not weaker.
 */
const MIN_SECRET_BYTES = 24;

/** The format of a secret of Standard Webhooks, for error messages. */
export const STANDARD_KEY_RULE = `must be whsec_ and the base64 of ${MIN_SECRET_BYTES} bytes or more`;

/**
 * Decodes a secret of Standard Webhooks: base64, usually after `whsec_`. Returns `undefined` if it is
 * invalid.
 */
export function decodeStandardKey(secret: string): Bytes | undefined {
  const key = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  return key && key.byteLength >= MIN_SECRET_BYTES ? key : undefined;
}

/** Compares two signatures in constant time. Their length is public. */
function isEqualInConstantTime(one: Bytes, other: Bytes): boolean {
  if (one.byteLength !== other.byteLength) return false;
  let difference = 0;
  for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
  return difference === 0;
}

const HMAC_ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

const toBytes = (part: string | Bytes): Bytes =>
  typeof part === 'string' ? new Uint8Array(ENCODER.encode(part)) : part;

function concatBytes(content: SignatureCheck['content']): Bytes {
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
 * Returns the secrets that are set. Each can be a binding of the Secrets Store.
 *
 * Rejects with a WebhookRefusal `not-configured` if no secret is set. Its message does not quote the source,
 * since the sender reads it. Also rejects with errors of the store.
 */
export async function secretsOf(env: WebhookEnv, source: SecretSource): Promise<readonly string[]> {
  const secrets = await readSecrets(env, source);
  if (secrets.length > 0) return secrets;
  throw new WebhookRefusal(
    'not-configured',
    'This Worker has no secret to verify the delivery. Set the var that the `secret` of this webhook reads ' +
      '(wrangler secret put).',
  );
}

/**
 * The maximum difference between the sender's clock and this one, in seconds. Stripe, Slack and Standard
 * Webhooks recommend it.
 */
const TOLERANCE_S = 300;

/**
 * Refuses a delivery that was signed too long ago or in the future, since it may be a replay. `sent` is in
 * seconds since the epoch, and `now` in milliseconds. `name` is the name of the header.
 *
 * @throws WebhookRefusal if the time differs too much, or `sent` is not a valid number.
 *
 * @example
 * ```ts
 * checkTimely('webhook-timestamp', '1800000000', Date.now());
 * ```
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
      `${TOLERANCE_S} s are allowed. Send it again with a new signature.`,
  );
}
