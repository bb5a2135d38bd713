import type { Claim } from '../from-sender.ts';
import { fromHex } from '../hmac.ts';
import { checkTimely } from '../timely.ts';
import type { Knock } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';

const VERSION = 'v0';

/**
 * Reads `X-Slack-Signature`: the HMAC of the version, the time of `X-Slack-Request-Timestamp` and the raw body (Slack,
 * "Verifying requests from Slack"). @throws WebhookRefusal when it holds no signature, or an old one.
 */
export function slackClaim({ headers, now }: Knock): Claim {
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
  return { signatures: [signature], ahead: `${VERSION}:${time}:` };
}
