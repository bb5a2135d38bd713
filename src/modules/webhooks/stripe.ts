import type { JsonObject } from '../../tool/json.ts';
import {
  describeDelivery,
  describeJson,
  findObject,
  findText,
  findValue,
  readJson,
  type SecretKeyCheck,
  toSafeToken,
  withoutUndefined,
} from './payload.ts';
import { checkTimely, fromHex } from './signature.ts';
import {
  createSenderWebhook,
  type SenderConfig,
  type SenderDelivery,
  type SignatureHeader,
  type SignedDelivery,
} from './verify-and-start.ts';
import {
  toSessionId,
  type UnverifiedRequest,
  type VerifiedDelivery,
  verified,
  type Webhook,
  WebhookRefusal,
} from './webhook.ts';

/**
 * An event from Stripe. Properties that it does not have are `undefined`. `payload` is the whole event from
 * Stripe.
 */
export interface StripeDelivery<Event extends string = string> extends SenderDelivery {
  /** The id of the event, such as `evt_1NG8Du2eZvKYlo2CUI79vXWy`. It stays the same when Stripe retries. */
  readonly id: string;
  /** The type of the event, such as `invoice.payment_failed`. */
  readonly event: Event;
  /** The subject of the event: its `data.object`, or the `related_object` of a thin event. */
  readonly object: JsonObject | undefined;
  /** The id of the customer. */
  readonly customer: string | undefined;
  /** The connected account of the event. */
  readonly account: string | undefined;
  /** `false` for test data. */
  readonly isLive: boolean;
  /**
   * The whole event. Contains values that must not be journaled, such as the `client_secret` of a payment,
   * which `usual` omits.
   */
  readonly payload: JsonObject;
}

/** The options of `stripeWebhook`. `events` are Stripe's types, such as `invoice.payment_failed`. */
export type StripeWebhookConfig<Event extends string> = SenderConfig<Event, StripeDelivery<Event>>;

/**
 * Starts an agent from Stripe's events, snapshot or thin. By default, each customer has their own session.
 *
 * An event is identified by its signed id, since Stripe's retries have other times, other signatures and
 * sometimes other bytes. A delivery that was signed more than 300 s ago is refused.
 *
 * @throws WebhookDefinitionError if a setting is invalid.
 *
 * @example
 * ```ts
 * const hook = stripeWebhook({ agent: 'researcher', secret: 'STRIPE_SECRET', events: ['charge.refunded'] });
 * ```
 */
export function stripeWebhook<const Event extends string = string>(
  config: StripeWebhookConfig<Event>,
): Webhook {
  return createSenderWebhook<Event, StripeDelivery<Event>>(config, {
    name: 'stripe',
    ids: 'of the sender',
    readHeader: readStripeHeader,
    // The cast narrows the type to `events`: `createSenderWebhook` checks the event before the app sees the
    // delivery.
    read: (signed) => readDelivery(signed) as Promise<VerifiedDelivery<StripeDelivery<Event>>>,
    names: ({ event }) => [event],
    skip: () => undefined,
  });
}

async function readDelivery(signed: SignedDelivery): Promise<VerifiedDelivery<StripeDelivery>> {
  const { headers, body, hook, env } = signed;
  const payload = readJson(body);
  const id = findText(payload, 'id');
  if (id === undefined) throw new WebhookRefusal('bad-json', 'The body is not an event: it has no id.');
  return verified(id, await toStripeDelivery({ hook, headers, env, id, payload }));
}

/**
 * Reads `Stripe-Signature`: a time, and the HMACs of the time and the raw body under each secret of the
 * endpoint (Stripe, "Verify webhook signatures manually"). Ignores schemes other than `v1`.
 *
 * @throws WebhookRefusal if the header is missing, malformed or too old.
 */
function readStripeHeader({ headers, now }: UnverifiedRequest): SignatureHeader {
  const header = headers.get('stripe-signature');
  if (header === null) throw new WebhookRefusal('invalid-signature', 'Stripe-Signature is missing.');
  const { time, signatures } = parseHeader(header);
  checkTimely('Stripe-Signature', time, now);
  return { signatures, ahead: `${time}.` };
}

interface ParsedHeader {
  readonly time: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

/** A repeated header has two times, and is therefore invalid. */
function parseHeader(header: string): ParsedHeader {
  const pairs = header.split(',').map((pair) => /^([a-z0-9]+)=(\S+)$/.exec(pair));
  const listValues = (name: string): string[] =>
    pairs.flatMap((pair) => (pair?.[1] === name && pair[2] !== undefined ? [pair[2]] : []));
  const [time, ...more] = listValues('t');
  const signatures = listValues('v1').map(fromHex);
  const read = signatures.filter((signature) => signature !== undefined);
  if (pairs.includes(null) || time === undefined || more.length > 0 || read.length === 0)
    throw createHeaderError();
  if (read.length < signatures.length) throw createHeaderError();
  return { time, signatures: read };
}

const createHeaderError = (): WebhookRefusal =>
  new WebhookRefusal(
    'invalid-signature',
    'Stripe-Signature must be t={time},v1={64 hexadecimal digits}, with one time and one v1 or more.',
  );

type VerifiedPayload = Pick<StripeDelivery, 'hook' | 'headers' | 'env' | 'id' | 'payload'>;

async function toStripeDelivery(from: VerifiedPayload): Promise<StripeDelivery> {
  const { payload } = from;
  const object = findObject(payload, 'data', 'object') ?? findObject(payload, 'related_object');
  const seen = {
    ...from,
    event: findText(payload, 'type') ?? 'unknown',
    object,
    customer: findCustomer(object),
    account: findText(payload, 'account') ?? findText(payload, 'context'),
    isLive: findValue(payload, 'livemode') === true,
  };
  const usual = {
    session: await computeSessionId(seen),
    message: formatMessage(seen),
    context: createContext(seen),
  };
  return { ...seen, usual };
}

type DeliveryFacts = Omit<StripeDelivery, 'usual'>;

/** Stripe sends the customer's id, or the customer if the request expanded it. */
const findCustomer = (object: JsonObject | undefined): string | undefined =>
  findValue(object, 'object') === 'customer'
    ? findText(object, 'id')
    : (findText(object, 'customer') ?? findText(object, 'customer', 'id'));

/** Returns one session for each customer, or else for each subject. */
function computeSessionId({ account, customer, object, id }: DeliveryFacts): Promise<string> {
  const about = customer ?? findText(object, 'id') ?? id;
  return account === undefined ? toSessionId(about) : toSessionId(account, about);
}

function formatMessage({ event, account, customer, object, isLive, payload }: DeliveryFacts): string {
  const type = toSafeToken(findText(object, 'object') ?? findText(object, 'type'));
  const lines = [
    `Stripe: ${toSafeToken(event) ?? 'unknown'}${isLive ? '' : ' (test data)'}`,
    type && `${type} ${toSafeToken(findText(object, 'id')) ?? 'without id'}`,
    toSafeToken(customer) && `customer ${customer}`,
    toSafeToken(account) && `account ${account}`,
  ];
  if (object === undefined) return describeDelivery({ lines, outsideTexts: [] });
  const previous_attributes = findObject(payload, 'data', 'previous_attributes');
  // Both contain names that customers chose. The changes come first, since a long text is cut off at the end.
  const told = previous_attributes ? { previous_attributes, object } : object;
  return describeDelivery({
    lines,
    outsideTexts: [{ text: describeJson(told, createPageSecretCheck(object)) }],
  });
}

/** The types of objects whose `url` anyone can open without signing in. */
const LINK_OBJECTS = [
  'account_link',
  'billing_portal.session',
  'checkout.session',
  'identity.verification_session',
  'login_link',
];

/**
 * Creates a check for such a `url`, which depends on the type of its object. For previous attributes, which
 * have no type, the type of the surrounding object counts.
 */
const createPageSecretCheck =
  ({ object: type = '' }: JsonObject): SecretKeyCheck =>
  (key, { object = type }) =>
    key === 'url' && typeof object === 'string' && LINK_OBJECTS.includes(object);

const createContext = ({
  hook,
  id,
  event,
  object,
  customer,
  account,
  isLive,
}: DeliveryFacts): JsonObject => ({
  webhook: withoutUndefined({ hook, id, event, object: findText(object, 'id'), customer, account, isLive }),
});
