import { fromHex, isSigned, notSigned } from '../hmac.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const SCHEME = 'sha256=';

interface GithubSigned {
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly secrets: readonly string[];
}

/**
 * Checks `X-Hub-Signature-256`, the HMAC of the raw body (GitHub, "Validating webhook deliveries"). The older SHA-1 header is
 * not looked at. @throws WebhookRefusal unless it holds.
 */
export async function verifyGithub({ headers, body, secrets }: GithubSigned): Promise<void> {
  const header = headers.get('x-hub-signature-256');
  if (header === null) {
    throw new WebhookRefusal(
      'invalid-signature',
      'X-Hub-Signature-256 is missing: give the webhook a secret, the one that this Worker has.',
    );
  }
  const signature = header.startsWith(SCHEME) ? fromHex(header.slice(SCHEME.length)) : undefined;
  if (!signature) {
    const problem = 'X-Hub-Signature-256 has to be sha256= and 64 hexadecimal digits, once.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  if (!(await isSigned({ secrets, signatures: [signature], content: [body] }))) throw notSigned();
}
