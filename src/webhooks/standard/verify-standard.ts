import { fromBase64, isSigned, notSigned } from '../hmac.ts';
import { checkTimely } from '../timely.ts';
import type { Arrival } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const PREFIX = 'whsec_';

/**
 * Checks `webhook-signature`: the HMACs of the id, the time and the raw body (Standard Webhooks 1.0.0, symmetric `v1`).
 * Signatures of other versions are not looked at. Answers the id. @throws WebhookRefusal unless one holds.
 */
export async function verifyStandard(
  { headers, body, now }: Arrival,
  secrets: readonly string[],
): Promise<string> {
  const id = headers.get('webhook-id');
  const time = headers.get('webhook-timestamp');
  const header = headers.get('webhook-signature');
  if (id === null || time === null || header === null) {
    const problem = 'webhook-id, webhook-timestamp and webhook-signature are needed, and one is missing.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  // With a full stop, what is signed could be cut elsewhere, into another id and another time.
  if (!/^[\x21-\x2d\x2f-\x7e]{1,256}$/.test(id)) {
    const problem = 'webhook-id has to be 1 to 256 visible ASCII characters without a full stop.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const signatures = parseSignatures(header);
  checkTimely('webhook-timestamp', time, now);
  const content = [`${id}.${time}.`, body];
  if (!(await isSigned({ secrets: secrets.map(toKey), signatures, content }))) throw notSigned();
  return id;
}

/** A header that came twice is joined by a comma too many. */
function parseSignatures(header: string): readonly Uint8Array<ArrayBuffer>[] {
  const listed = header.split(' ').map((one) => /^(v[0-9]+[a-z]*),([A-Za-z0-9+/=]+)$/.exec(one));
  const signatures = listed
    .filter((one) => one?.[1] === 'v1')
    .map((one) => fromBase64(one?.[2] ?? ''))
    .filter((signature) => signature?.byteLength === 32);
  const read = signatures.filter((signature) => signature !== undefined);
  if (!listed.includes(null) && read.length > 0) return read;
  const problem =
    'webhook-signature has to be v1,{base64 of 32 bytes}, or several of them with spaces between.';
  throw new WebhookRefusal('invalid-signature', problem);
}

/** A secret is written in base64, mostly after `whsec_`. */
function toKey(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (key) return key;
  throw new WebhookRefusal(
    'not-configured',
    'This Worker has a secret that is none of Standard Webhooks, so the delivery is not taken. It has to be whsec_ and base64.',
  );
}
