import type { JsonObject } from '../../tools/json.ts';
import type { SenderDelivery } from '../from-sender.ts';
import { known, look, objectAt, textAt } from '../look.ts';
import { toSessionId } from '../session-id.ts';
import { tell, word } from '../tell.ts';
import { type IsSecret, tellJson } from '../tell-json.ts';

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
  /** Holds what must not be journaled, such as the `client_secret` of a payment; `usual` leaves it out. */
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
  const type = word(textAt(object, 'object') ?? textAt(object, 'type'));
  const lines = [
    `Stripe: ${word(event) ?? 'unknown'}${isLive ? '' : ' (test data)'}`,
    type && `${type} ${word(textAt(object, 'id')) ?? 'without id'}`,
    word(customer) && `customer ${customer}`,
    word(account) && `account ${account}`,
  ];
  if (object === undefined) return tell({ lines, words: [] });
  const previous_attributes = objectAt(payload, 'data', 'previous_attributes');
  // Both hold what customers call themselves. What has changed stands first: the end of a long text is cut.
  const told = previous_attributes ? { previous_attributes, object } : object;
  return tell({ lines, words: [{ text: tellJson(told, isKeyToPageOf(object)) }] });
}

/** Pages of Stripe's that ask nobody who comes by their address to sign in. */
const PAGES = [
  'account_link',
  'billing_portal.session',
  'checkout.session',
  'identity.verification_session',
  'login_link',
];

/** What an object was before does not say what it is. */
const isKeyToPageOf =
  ({ object: type = '' }: JsonObject): IsSecret =>
  (key, { object = type }) =>
    key === 'url' && typeof object === 'string' && PAGES.includes(object);

const contextOf = ({ hook, id, event, object, customer, account, isLive }: Unmapped): JsonObject => ({
  webhook: known({ hook, id, event, object: textAt(object, 'id'), customer, account, isLive }),
});
