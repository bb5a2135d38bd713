import { fromSender, type SenderConfig, type SignedArrival } from '../from-sender.ts';
import { textAt } from '../look.ts';
import { readJson } from '../read-body.ts';
import { type Verified, verified, type Webhook } from '../webhook.ts';
import { WebhookRefusal } from '../webhook-refusal.ts';
import { stripeClaim } from './stripe-claim.ts';
import { type StripeDelivery, toStripeDelivery } from './stripe-delivery.ts';

/** The literal that `stripeWebhook` takes. `events` are types of Stripe's, as in `invoice.payment_failed`. */
export type StripeWebhookConfig<Event extends string> = SenderConfig<Event, StripeDelivery<Event>>;

/**
 * Starts an agent by Stripe's events, snapshot or thin. By default each customer has a session of their own.
 *
 * An event is known by its id, which is signed: Stripe's retries have other times, other signatures and sometimes other bytes.
 * What was signed more than 300 s ago is refused.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function stripeWebhook<const Event extends string = string>(
  config: StripeWebhookConfig<Event>,
): Webhook {
  return fromSender<Event, StripeDelivery<Event>>(config, {
    name: 'stripe',
    ids: 'of the sender',
    claim: stripeClaim,
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    read: (signed) => read(signed) as Promise<Verified<StripeDelivery<Event>>>,
    names: ({ event }) => [event],
    skip: () => undefined,
  });
}

async function read(signed: SignedArrival): Promise<Verified<StripeDelivery>> {
  const { headers, body, hook, env } = signed;
  const payload = readJson(body);
  const id = textAt(payload, 'id');
  if (id === undefined) throw new WebhookRefusal('bad-json', 'The body is not an event: it has no id.');
  return verified(id, await toStripeDelivery({ hook, headers, env, id, payload }));
}
