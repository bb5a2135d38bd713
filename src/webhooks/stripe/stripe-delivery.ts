import type { JsonObject } from '../../tools/json.ts';
import type { SenderDelivery } from '../from-sender.ts';
import { known, look, objectAt, textAt } from '../look.ts';
import { toSessionId } from '../session-id.ts';
import { tell, tellJson } from '../tell.ts';

/** An event of Stripe. What it does not speak of is `undefined`; the payload is the whole event, as Stripe sent it. */
export interface StripeDelivery<Event extends string = string> extends SenderDelivery {
  /** Of the event, as in `evt_1NG8Du2eZvKYlo2CUI79vXWy`: the same whenever Stripe sends it again. */
  readonly id: string;
  /** As in `invoice.payment_failed`. */
  readonly event: Event;
  /** What the event is about: its `data.object`, or, of a thin event, its `related_object`. */
  readonly object: JsonObject | undefined;
  /** The id of the customer. */
  readonly customer: string | undefined;
  /** The connected account that it happened in. */
  readonly account: string | undefined;
  /** False for test data. */
  readonly isLive: boolean;
  readonly payload: JsonObject;
}

type Seen = Pick<StripeDelivery, 'hook' | 'headers' | 'env' | 'id' | 'payload'>;

/** Shows an event. */
export async function toStripeDelivery(from: Seen): Promise<StripeDelivery> {
  const { payload } = from;
  const object = objectAt(payload, 'data', 'object') ?? objectAt(payload, 'related_object');
  const seen = {
    ...from,
    event: textAt(payload, 'type') ?? 'unknown',
    object,
    customer: customerOf(object),
    account: textAt(payload, 'account') ?? textAt(payload, 'context'),
    isLive: look(payload, 'livemode') === true,
  };
  const usual = { session: await sessionOf(seen), message: messageOf(seen), context: contextOf(seen) };
  return { ...seen, usual };
}

type Unmapped = Omit<StripeDelivery, 'usual'>;

/** Stripe writes the customer's id, or, where it was asked to expand it, the customer. */
const customerOf = (object: JsonObject | undefined): string | undefined =>
  look(object, 'object') === 'customer'
    ? textAt(object, 'id')
    : (textAt(object, 'customer') ?? textAt(object, 'customer', 'id'));

/** One conversation for a customer, else for what the event is about. */
function sessionOf({ account, customer, object, id }: Unmapped): Promise<string> {
  const about = customer ?? textAt(object, 'id') ?? id;
  return account === undefined ? toSessionId(about) : toSessionId(account, about);
}

function messageOf({ event, account, customer, object, isLive, payload }: Unmapped): string {
  const type = textAt(object, 'object') ?? textAt(object, 'type');
  const changed = objectAt(payload, 'data', 'previous_attributes');
  const lines = [
    `Stripe: ${event}${isLive ? '' : ' (test data)'}`,
    type && `${type} ${textAt(object, 'id') ?? 'without id'}`,
    customer && `customer ${customer}`,
    account && `account ${account}`,
    changed && `before: ${JSON.stringify(changed)}`,
  ];
  return object === undefined ? tell({ lines }) : tell({ lines, text: tellJson(object) });
}

const contextOf = ({ hook, id, event, object, customer, account, isLive }: Unmapped): JsonObject => ({
  webhook: known({ hook, id, event, object: textAt(object, 'id'), customer, account, isLive }),
});
