import { fromBase64 } from '../hmac.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const PREFIX = 'whsec_';

/** What the standard asks for ("between 24 bytes (192 bits) and 64 bytes"); a longer one is no weaker, and is taken. */
const MIN_BYTES = 24;

/** The bytes of a secret, which is written in base64, mostly after `whsec_`. @throws WebhookRefusal when it is none. */
export function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  const key = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (key && key.byteLength >= MIN_BYTES) return key;
  throw new WebhookRefusal(
    'not-configured',
    'This Worker has a secret that is none of Standard Webhooks, so the delivery is not taken. It has to be whsec_ and the ' +
      `base64 of ${MIN_BYTES} bytes or more.`,
  );
}
