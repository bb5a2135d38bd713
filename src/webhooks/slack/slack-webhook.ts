import { type Claim, fromSender, type SenderConfig, type SignedArrival } from '../from-sender.ts';
import { fromHex, readJsonOrForm } from '../hmac.ts';
import { look, textAt } from '../tell.ts';
import {
  bodyHash,
  checkTimely,
  type Knock,
  type Reply,
  reply,
  type Verified,
  verified,
  type Webhook,
  WebhookRefusal,
} from '../webhook.ts';
import { type SlackDelivery, toSlackDelivery } from './slack-delivery.ts';
import type { SlackKind } from './slack-parts.ts';

/** The literal that `slackWebhook` takes. `events` are as in `app_mention`, `/deploy` and `block_actions`. */
export interface SlackWebhookConfig<Event extends string> extends SenderConfig<Event, SlackDelivery<Event>> {
  /** What becomes of what a bot said; `ignore` unless given, since an agent that answers in Slack would hear itself. */
  readonly bots?: 'ignore' | 'take' | undefined;
}

/**
 * Starts an agent by what happens in Slack: events, slash commands and interactions, at one address. By default each thread has
 * a session of its own; so has each direct message. `url_verification` is answered, when it is signed.
 *
 * A message is known by its channel and time, so that its `message` and its `app_mention` are one; other events by `event_id`,
 * commands and interactions by `trigger_id`: all of them signed, and the same when Slack tries again. What was signed more
 * than 300 s ago is refused. Without `events`, changes to messages and news of channels (`message.channel_join`) are ignored.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function slackWebhook<const Event extends string = string>(
  config: SlackWebhookConfig<Event>,
): Webhook {
  const { bots = 'ignore', events } = config;
  return fromSender<Event, SlackDelivery<Event>>(config, {
    name: 'slack',
    ids: 'of the sender',
    claim: slackClaim,
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    read: (signed) => read(signed) as Promise<Verified<SlackDelivery<Event>> | Reply>,
    names: ({ event }) => [event],
    skip: ({ event, isBot }) => {
      if (isBot && bots !== 'take') return 'A bot said it, and this webhook takes nothing from bots.';
      return events === undefined && NEWS.test(event)
        ? 'It is not a message that somebody has just said.'
        : undefined;
    },
  });
}

const NEWS = /^(message\.|app_rate_limited$)/;

async function read(signed: SignedArrival): Promise<Verified<SlackDelivery> | Reply> {
  const { headers, body, hook, env } = signed;
  const { payload: json, form } = readJsonOrForm(body);
  const payload = json ?? Object.fromEntries(form ?? []);
  if (!form && look(payload, 'type') === 'url_verification') {
    return reply({ challenge: look(payload, 'challenge') ?? '' });
  }
  const kind = !form ? 'event' : json ? 'interaction' : 'command';
  const delivery = await toSlackDelivery({ hook, headers, env, kind, payload });
  // What a command or a button is answered with is shown to whoever used it.
  return verified(await idOf(delivery, body), delivery, kind === 'event' ? 'address' : 'nothing');
}

async function idOf(delivery: SlackDelivery, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const { kind, event, team = '', channel, payload } = delivery;
  const time = textAt(payload, 'event', 'ts');
  if (isMessage(kind, event) && channel !== undefined && time !== undefined)
    return `${team}:${channel}:${time}`;
  const id = textAt(payload, 'event_id') ?? textAt(payload, 'trigger_id');
  return id ?? bodyHash(body);
}

const isMessage = (kind: SlackKind, event: string): boolean =>
  kind === 'event' && (event === 'message' || event === 'app_mention');

const VERSION = 'v0';

/**
 * Reads `X-Slack-Signature`: the HMAC of the version, the time of `X-Slack-Request-Timestamp` and the raw body (Slack,
 * "Verifying requests from Slack"). @throws WebhookRefusal when it holds no signature, or an old one.
 */
function slackClaim({ headers, now }: Knock): Claim {
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
