import type { Claim } from '../from-sender.ts';
import { fromHex } from '../hmac.ts';
import type { Knock } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const SCHEME = 'sha256=';

/**
 * Reads `X-Hub-Signature-256`, the HMAC of the raw body (GitHub, "Validating webhook deliveries"). The older SHA-1 header is
 * not looked at. @throws WebhookRefusal when it holds no signature.
 */
export function githubClaim({ headers }: Knock): Claim {
  const header = headers.get('x-hub-signature-256');
  if (header === null) {
    throw new WebhookRefusal(
      'invalid-signature',
      'X-Hub-Signature-256 is missing: give the webhook a secret, the one that this Worker has.',
    );
  }
  const signature = header.startsWith(SCHEME) ? fromHex(header.slice(SCHEME.length)) : undefined;
  if (signature) return { signatures: [signature], ahead: '' };
  const problem = 'X-Hub-Signature-256 has to be sha256= and 64 hexadecimal digits, once.';
  throw new WebhookRefusal('invalid-signature', problem);
}
