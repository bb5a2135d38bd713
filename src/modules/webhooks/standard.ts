import type { Json, JsonObject } from '../../tool/json.ts';
import {
  describeDelivery,
  describeJson,
  findText,
  findValue,
  readJson,
  toSafeToken,
  withoutUndefined,
} from './payload.ts';
import { checkTimely, decodeStandardKey, fromBase64, STANDARD_KEY_RULE } from './signature.ts';
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

/** A delivery in the format of Standard Webhooks. */
export interface StandardDelivery<Event extends string = string> extends SenderDelivery {
  /** The value of `webhook-id`. It is signed, and stays the same when the sender retries. */
  readonly id: string;
  /** The payload's `type`, such as `contact.created`. */
  readonly event: Event;
  /** The payload's `data`. `undefined` if the sender puts its data into the payload itself. */
  readonly data: Json | undefined;
  readonly payload: JsonObject;
}

/** The options of `standardWebhook`. `events` are types of the sender, such as `contact.created`. */
export type StandardWebhookConfig<Event extends string> = SenderConfig<Event, StandardDelivery<Event>>;

/**
 * Starts an agent from any sender that follows Standard Webhooks (version 1.0.0, `v1` signatures, JSON
 * objects). The standard has no conversations, so each delivery has its own session by default.
 *
 * A delivery is identified by its id, which is signed. A delivery that was signed more than 300 s ago is
 * refused.
 *
 * @throws WebhookDefinitionError if a setting is invalid.
 *
 * @example
 * ```ts
 * const hook = standardWebhook({ name: 'billing', agent: 'researcher', secret: 'BILLING_SECRET' });
 * ```
 */
export function standardWebhook<const Event extends string = string>(
  config: StandardWebhookConfig<Event>,
): Webhook {
  return createSenderWebhook<Event, StandardDelivery<Event>>(config, {
    name: 'standard',
    ids: 'of the webhook',
    readHeader: readStandardHeader,
    toKey: toKeyBytes,
    // The cast narrows the type to `events`: `createSenderWebhook` checks the event before the app sees the
    // delivery.
    read: (signed) => readDelivery(signed) as Promise<VerifiedDelivery<StandardDelivery<Event>>>,
    names: ({ event }) => [event],
    skip: () => undefined,
  });
}

async function readDelivery(signed: SignedDelivery): Promise<VerifiedDelivery<StandardDelivery>> {
  const { headers, body, hook, env } = signed;
  const { id } = readStandardHeader(signed);
  const payload = readJson(body);
  const event = findText(payload, 'type') ?? 'unknown';
  const data = findValue(payload, 'data');
  const usual = {
    session: await toSessionId(id),
    message: describeDelivery({
      lines: [`${hook}: ${toSafeToken(event) ?? 'unknown'}`],
      outsideTexts: [{ text: describeJson(data ?? payload) }],
    }),
    context: { webhook: withoutUndefined({ hook, id, event }) },
  };
  return verified(id, { hook, headers, env, id, event, data, payload, usual });
}

/** The signature in the headers, and the id of the delivery, which is part of the signed text. */
interface StandardHeader extends SignatureHeader {
  readonly id: string;
}

/**
 * Reads `webhook-signature`: the HMACs of the id, the time and the raw body (Standard Webhooks 1.0.0,
 * symmetric `v1`). Ignores signatures of other versions.
 *
 * @throws WebhookRefusal if the signature is missing or too old.
 */
function readStandardHeader({ headers, now }: UnverifiedRequest): StandardHeader {
  const id = headers.get('webhook-id');
  const time = headers.get('webhook-timestamp');
  const header = headers.get('webhook-signature');
  if (id === null || time === null || header === null) {
    const problem = 'webhook-id, webhook-timestamp or webhook-signature is missing.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  // With a period in the id, the signed text could be split into another id and time.
  if (!/^[\x21-\x2d\x2f-\x7e]{1,256}$/.test(id)) {
    const problem = 'webhook-id must be 1 to 256 visible ASCII characters without a full stop.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const signatures = parseSignatures(header);
  checkTimely('webhook-timestamp', time, now);
  return { id, signatures, ahead: `${id}.${time}.` };
}

/** A repeated header is joined with a comma, which makes it invalid. */
function parseSignatures(header: string): readonly Uint8Array<ArrayBuffer>[] {
  const listed = header.split(' ').map((one) => /^(v[0-9]+[a-z]*),([A-Za-z0-9+/=]+)$/.exec(one));
  const signatures = listed
    .filter((one) => one?.[1] === 'v1')
    .map((one) => fromBase64(one?.[2] ?? ''))
    .filter((signature) => signature?.byteLength === 32);
  const read = signatures.filter((signature) => signature !== undefined);
  if (!listed.includes(null) && read.length > 0) return read;
  const problem =
    'webhook-signature must be v1,{base64 of 32 bytes}, or several of them with spaces between.';
  throw new WebhookRefusal('invalid-signature', problem);
}

/** Returns the bytes of a secret. @throws WebhookRefusal if it is invalid. */
function toKeyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const key = decodeStandardKey(secret);
  if (key) return key;
  throw new WebhookRefusal(
    'not-configured',
    `The secret of this Worker is invalid for Standard Webhooks. It ${STANDARD_KEY_RULE}.`,
  );
}
