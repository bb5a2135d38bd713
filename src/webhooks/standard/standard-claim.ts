import type { Claim } from '../from-sender.ts';
import { fromBase64 } from '../hmac.ts';
import { checkTimely } from '../timely.ts';
import type { Knock } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

/** What the headers say, the id of the delivery among it. */
export interface StandardClaim extends Claim {
  readonly id: string;
}

/**
 * Reads `webhook-signature`: the HMACs of the id, the time and the raw body (Standard Webhooks 1.0.0, symmetric `v1`).
 * Signatures of other versions are not looked at. @throws WebhookRefusal when it holds no signature, or an old one.
 */
export function standardClaim({ headers, now }: Knock): StandardClaim {
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
  return { id, signatures, ahead: `${id}.${time}.` };
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
