import { sha256Hex } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { describeDelivery, describeJson, type IsSecret, safeToken } from './describe-delivery.ts';
import { at, defined, readJsonOrForm, textAt } from './payload.ts';
import { checkTimely, fromHex } from './signature.ts';
import { factsOf, type SlackFacts, type SlackKind } from './slack-facts.ts';
import {
  type SenderConfig,
  type SenderDelivery,
  type SignatureHeader,
  type SignedDelivery,
  verifyAndStart,
} from './verify-and-start.ts';
import {
  type Reply,
  reply,
  toSessionId,
  type UnverifiedRequest,
  type Verified,
  verified,
  type Webhook,
  WebhookRefusal,
} from './webhook.ts';

/** A delivery of Slack. What it does not speak of is `undefined`; the payload holds the rest, as Slack sent it. */
export interface SlackDelivery<Event extends string = string> extends SenderDelivery {
  /** An event of the Events API, a slash command, or somebody's use of a button, a menu or a form. */
  readonly kind: SlackKind;
  /** As in `app_mention`, `/deploy`, `block_actions`; a message that is not just said has its subtype too: `message.channel_join`. */
  readonly event: Event;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  /** The time of the message that the thread is under, or of the message itself: Slack's id of the thread. */
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /**
   * Of an event the whole envelope, of a command its fields. Holds what must not be journaled, such as `response_url`
   * and, of `function_executed`, a `bot_access_token`; `usual` leaves it out.
   */
  readonly payload: JsonObject;
}

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
  return verifyAndStart<Event, SlackDelivery<Event>>(config, {
    name: 'slack',
    ids: 'of the sender',
    readHeader: readSlackHeader,
    // The cast narrows what `events` makes true: it is looked at before anybody sees the delivery.
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

async function read(signed: SignedDelivery): Promise<Verified<SlackDelivery> | Reply> {
  const { headers, body, hook, env } = signed;
  const { payload: json, form } = readJsonOrForm(body);
  const payload = json ?? Object.fromEntries(form ?? []);
  if (!form && at(payload, 'type') === 'url_verification') {
    return reply({ challenge: at(payload, 'challenge') ?? '' });
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
  return id ?? sha256Hex(body);
}

const isMessage = (kind: SlackKind, event: string): boolean =>
  kind === 'event' && (event === 'message' || event === 'app_mention');

const VERSION = 'v0';

/**
 * Reads `X-Slack-Signature`: the HMAC of the version, the time of `X-Slack-Request-Timestamp` and the raw body (Slack,
 * "Verifying requests from Slack"). @throws WebhookRefusal when it holds no signature, or an old one.
 */
function readSlackHeader({ headers, now }: UnverifiedRequest): SignatureHeader {
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

type Seen = Pick<SlackDelivery, 'hook' | 'headers' | 'env' | 'kind' | 'payload'>;

/** Shows what Slack sent. */
async function toSlackDelivery(from: Seen): Promise<SlackDelivery> {
  const facts = factsOf(from.kind, from.payload);
  const { event, team, channel, user, thread, text, isBot } = facts;
  const seen = { ...from, event, team, channel, user, thread, text, isBot };
  const usual = {
    session: await sessionOf(facts),
    message: messageOf(seen, facts),
    context: contextOf(seen),
  };
  return { ...seen, usual };
}

type Unmapped = Omit<SlackDelivery, 'usual'>;

/** Each conversation has a session: one for a thread; for what is in none, one for a direct message, for a channel, or for a person. */
function sessionOf({ team = '', channel, user = '', thread, isDirect }: SlackFacts): Promise<string> {
  if (channel === undefined) return toSessionId(team, user);
  return thread === undefined || isDirect ? toSessionId(team, channel) : toSessionId(team, channel, thread);
}

function messageOf({ event, channel, user, text }: Unmapped, { about }: SlackFacts): string {
  const lines = [
    `Slack: ${safeToken(event) ?? 'unknown'}${safeToken(channel) === undefined ? '' : ` in channel ${channel}`}`,
    safeToken(user) && `by user ${user}`,
  ];
  const told = text ?? (about && describeJson(about, isAppsOwn));
  const by = safeToken(user) && `user ${user}`;
  return describeDelivery({ lines, outsideTexts: told === undefined ? [] : [{ by, text: told }] });
}

/** Finds the address by which anybody sees a file, and what an app keeps in a form. */
const isAppsOwn: IsSecret = (key) => key === 'permalink_public' || key === 'private_metadata';

const contextOf = ({ hook, event, team, channel, user, thread, payload }: Unmapped): JsonObject => ({
  webhook: defined({ hook, event, team, channel, user, thread, app: appOf(payload) }),
});

const appOf = (payload: JsonObject): string | undefined =>
  textAt(payload, 'api_app_id') ?? textAt(at(payload, 'view'), 'app_id');
