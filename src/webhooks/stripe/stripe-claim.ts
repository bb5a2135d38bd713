import type { Claim } from '../from-sender.ts';
import { fromHex } from '../hmac.ts';
import { checkTimely } from '../timely.ts';
import type { Knock } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

/**
 * Reads `Stripe-Signature`: a time, and the HMACs of the time and the raw body under each secret of the endpoint (Stripe,
 * "Verify webhook signatures manually"). Schemes other than `v1` are not looked at.
 *
 * @throws WebhookRefusal when it holds no signature, or old ones.
 */
export function stripeClaim({ headers, now }: Knock): Claim {
  const header = headers.get('stripe-signature');
  if (header === null) throw new WebhookRefusal('invalid-signature', 'Stripe-Signature is missing.');
  const { time, signatures } = parseHeader(header);
  checkTimely('Stripe-Signature', time, now);
  return { signatures, ahead: `${time}.` };
}

interface ParsedHeader {
  readonly time: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

/** A header that came twice has two times, and so is none. */
function parseHeader(header: string): ParsedHeader {
  const pairs = header.split(',').map((pair) => /^([a-z0-9]+)=(\S+)$/.exec(pair));
  const valuesOf = (name: string): string[] =>
    pairs.flatMap((pair) => (pair?.[1] === name && pair[2] !== undefined ? [pair[2]] : []));
  const [time, ...more] = valuesOf('t');
  const signatures = valuesOf('v1').map(fromHex);
  const read = signatures.filter((signature) => signature !== undefined);
  if (pairs.includes(null) || time === undefined || more.length > 0 || read.length === 0) throw malformed();
  if (read.length < signatures.length) throw malformed();
  return { time, signatures: read };
}

const malformed = (): WebhookRefusal =>
  new WebhookRefusal(
    'invalid-signature',
    'Stripe-Signature has to be t={time},v1={64 hexadecimal digits}, with one time and one v1 or more.',
  );
