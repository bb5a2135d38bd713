import { fromHex, isSigned, notSigned } from '../hmac.ts';
import { checkTimely } from '../timely.ts';
import type { Arrival } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const VERSION = 'v0';

/**
 * Checks `X-Slack-Signature`: the HMAC of the version, the time of `X-Slack-Request-Timestamp` and the raw body (Slack,
 * "Verifying requests from Slack"). @throws WebhookRefusal unless it holds.
 */
export async function verifySlack(
  { headers, body, now }: Arrival,
  secrets: readonly string[],
): Promise<void> {
  const time = headers.get('x-slack-request-timestamp');
  const header = headers.get('x-slack-signature');
  if (time === null || header === null) {
    const problem = 'X-Slack-Signature and X-Slack-Request-Timestamp are needed, and one is missing.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const signature = header.startsWith(`${VERSION}=`) ? fromHex(header.slice(VERSION.length + 1)) : undefined;
  if (!signature) {
    const problem = 'X-Slack-Signature has to be v0= and 64 hexadecimal digits, once.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  checkTimely('X-Slack-Request-Timestamp', time, now);
  const content = [`${VERSION}:${time}:`, body];
  if (!(await isSigned({ secrets, signatures: [signature], content }))) throw notSigned();
}
