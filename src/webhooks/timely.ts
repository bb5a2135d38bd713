import { WebhookRefusal } from './webhook-refusal.ts';

/** How far the sender's clock and this one may be apart, in s: what Stripe, Slack and Standard Webhooks recommend. */
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
