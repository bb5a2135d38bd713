/** Deliveries with the signatures of their senders, and with forged ones. */
import { createHmac } from 'node:crypto';
import { SECRETS } from './secrets.ts';

/** A delivery, ready to be sent. */
export interface Delivery {
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** The differences between a delivery and a valid one. */
export interface DeliveryOptions {
  /** Seconds since the epoch. Defaults to now. */
  readonly time?: number;
  readonly secret?: string;
  readonly hook?: string;
  /** The name of the event, or the id of the delivery. */
  readonly as?: string;
}

export const getNowInSeconds = (): number => Math.floor(Date.now() / 1000);

const computeHmacHex = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex');

const JSON_TYPE = ['content-type', 'application/json'] as const;

/** Signs a delivery as GitHub does. */
export function createGithubDelivery(body: string, departure: DeliveryOptions = {}): Delivery {
  const { secret = SECRETS.GITHUB_SECRET, hook = 'github', as = 'issues' } = departure;
  const headers = [
    JSON_TYPE,
    ['x-github-event', as],
    ['x-github-delivery', 'd-1'],
    ['x-hub-signature-256', `sha256=${computeHmacHex(secret, body)}`],
  ] as const;
  return { path: `/hooks/${hook}`, headers, body };
}

/** Signs a delivery as Slack does. */
export function createSlackDelivery(
  body: string,
  { time = getNowInSeconds(), secret = SECRETS.SLACK_SECRET }: DeliveryOptions = {},
): Delivery {
  const headers = [
    JSON_TYPE,
    ['x-slack-request-timestamp', String(time)],
    ['x-slack-signature', `v0=${computeHmacHex(secret, `v0:${time}:${body}`)}`],
  ] as const;
  return { path: '/hooks/slack', headers, body };
}

/** Signs a delivery as Stripe does. */
export function createStripeDelivery(
  body: string,
  { time = getNowInSeconds(), secret = SECRETS.STRIPE_SECRET }: DeliveryOptions = {},
): Delivery {
  const headers = [
    JSON_TYPE,
    ['stripe-signature', `t=${time},v1=${computeHmacHex(secret, `${time}.${body}`)}`],
  ] as const;
  return { path: '/hooks/stripe', headers, body };
}

/** Signs a delivery by Standard Webhooks. */
export function createStandardDelivery(body: string, departure: DeliveryOptions = {}): Delivery {
  const { time = getNowInSeconds(), secret = SECRETS.STANDARD_SECRET, as: id = 'msg_1' } = departure;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  const headers = [
    JSON_TYPE,
    ['webhook-id', id],
    ['webhook-timestamp', String(time)],
    ['webhook-signature', `v1,${signature}`],
  ] as const;
  return { path: '/hooks/standard', headers, body };
}

/** Returns the delivery with one header changed, or removed if there is no `value`. */
export const withHeader = (delivery: Delivery, name: string, value?: string): Delivery => ({
  ...delivery,
  headers: [
    ...delivery.headers.filter(([one]) => one !== name),
    ...(value === undefined ? [] : [[name, value] as const]),
  ],
});

/** Returns the header of this name. */
export const getHeader = ({ headers }: Delivery, name: string): string =>
  headers.find(([one]) => one === name)?.[1] ?? '';
