import type { Json, JsonObject } from '../../tools/json.ts';
import { fromSender, type SenderConfig, type SenderDelivery, type SignedArrival } from '../from-sender.ts';
import { known, look, textAt } from '../look.ts';
import { readJson } from '../read-body.ts';
import { toSessionId } from '../session-id.ts';
import { tell, word } from '../tell.ts';
import { tellJson } from '../tell-json.ts';
import { type Verified, verified, type Webhook } from '../webhook.ts';
import { standardClaim } from './standard-claim.ts';
import { standardKey } from './standard-key.ts';

/** A delivery by Standard Webhooks. */
export interface StandardDelivery<Event extends string = string> extends SenderDelivery {
  /** Of `webhook-id`, which is signed: the same whenever the sender tries again. */
  readonly id: string;
  /** The payload's `type`, as in `contact.created`. */
  readonly event: Event;
  /** The payload's `data`; `undefined` where a sender puts it into the payload itself. */
  readonly data: Json | undefined;
  readonly payload: JsonObject;
}

/** The literal that `standardWebhook` takes. `events` are types of the sender's, as in `contact.created`. */
export type StandardWebhookConfig<Event extends string> = SenderConfig<Event, StandardDelivery<Event>>;

/**
 * Starts an agent by webhooks of anybody who keeps to Standard Webhooks (version 1.0.0, `v1` signatures, JSON objects). The
 * standard knows no conversations, so by default each delivery has a session of its own.
 *
 * A delivery is known by its id, which is signed. What was signed more than 300 s ago is refused.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function standardWebhook<const Event extends string = string>(
  config: StandardWebhookConfig<Event>,
): Webhook {
  return fromSender<Event, StandardDelivery<Event>>(config, {
    name: 'standard',
    ids: 'of the webhook',
    claim: standardClaim,
    toKey: standardKey,
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    read: (signed) => read(signed) as Promise<Verified<StandardDelivery<Event>>>,
    names: ({ event }) => [event],
    skip: () => undefined,
  });
}

async function read(signed: SignedArrival): Promise<Verified<StandardDelivery>> {
  const { headers, body, hook, env } = signed;
  const { id } = standardClaim(signed);
  const payload = readJson(body);
  const event = textAt(payload, 'type') ?? 'unknown';
  const data = look(payload, 'data');
  const usual = {
    session: await toSessionId(id),
    message: tell({
      lines: [`${hook}: ${word(event) ?? 'unknown'}`],
      words: [{ text: tellJson(data ?? payload) }],
    }),
    context: { webhook: known({ hook, id, event }) },
  };
  return verified(id, { hook, headers, env, id, event, data, payload, usual });
}
