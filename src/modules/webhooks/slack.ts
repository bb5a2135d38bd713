import { sha256Hex } from '../../tool/async.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import {
  at,
  defined,
  describeDelivery,
  describeJson,
  type IsSecret,
  objectAt,
  readJsonOrForm,
  safeToken,
  textAt,
} from './payload.ts';
import { checkTimely, fromHex } from './signature.ts';
import {
  BOTS,
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
    options: { bots: BOTS },
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

/** The three ways in which Slack calls. */
export type SlackKind = 'event' | 'command' | 'interaction';

/** The facts of a delivery, which each kind of call has in another place. */
interface SlackFacts {
  readonly event: string;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /** A direct message outside of any thread: all of them are one conversation. */
  readonly isDirect: boolean;
  /** What a model can read when there is no text; nothing that gives a right to whoever has it. */
  readonly about: JsonObject | undefined;
}

/** Finds the facts of a delivery of this kind. */
function factsOf(kind: SlackKind, payload: JsonObject): SlackFacts {
  switch (kind) {
    case 'event':
      return ofEvent(payload);
    case 'command':
      return ofCommand(payload);
    case 'interaction':
      return ofInteraction(payload);
  }
}

function ofEvent(payload: JsonObject): SlackFacts {
  const event = objectAt(payload, 'event');
  const item = objectAt(event, 'item');
  const threadTs = textAt(event, 'thread_ts');
  return {
    event: eventOf(event) ?? textAt(payload, 'type') ?? 'unknown',
    team: textAt(payload, 'team_id'),
    channel: idAt(event, 'channel') ?? textAt(item, 'channel'),
    user: idAt(event, 'user'),
    thread: threadTs ?? textAt(event, 'ts') ?? textAt(item, 'ts'),
    text: textAt(event, 'text'),
    isBot: at(event, 'bot_id') !== undefined || at(event, 'subtype') === 'bot_message',
    isDirect: at(event, 'channel_type') === 'im' && threadTs === undefined,
    about: event && only(event, TOLD),
  };
}

/**
 * What is told of an event that says nothing: what happened to what, and who did it. Of the rest Slack says more every year,
 * some of it for nobody but the app, as the token that comes with `function_executed`.
 */
const TOLD: readonly string[] = `
  type subtype user inviter channel channel_id channel_type team subteam usergroup ts thread_ts deleted_ts
  event_ts message previous_message item item_user reaction name names old_name topic purpose value status
  tab links file file_id function inputs function_execution_id workflow_execution_id call_id bookmark
  list_id`
  .trim()
  .split(/\s+/);

/** Messages that a person has just said; the other subtypes tell what became of one, or of the channel. */
const SAID = [undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

function eventOf(event: JsonObject | undefined): string | undefined {
  const type = textAt(event, 'type');
  const subtype = textAt(event, 'subtype');
  return type === 'message' && !SAID.includes(subtype) ? `message.${subtype}` : type;
}

function ofCommand(payload: JsonObject): SlackFacts {
  return {
    event: textAt(payload, 'command') ?? 'unknown',
    team: textAt(payload, 'team_id'),
    channel: textAt(payload, 'channel_id'),
    user: textAt(payload, 'user_id'),
    thread: undefined,
    text: textAt(payload, 'text'),
    isBot: false,
    isDirect: false,
    about: undefined,
  };
}

function ofInteraction(payload: JsonObject): SlackFacts {
  const message = objectAt(payload, 'message');
  const view = objectAt(payload, 'view');
  return {
    event: textAt(payload, 'type') ?? 'unknown',
    team: idAt(payload, 'team') ?? idAt(payload, 'user', 'team_id'),
    channel: idAt(payload, 'channel') ?? textAt(payload, 'container', 'channel_id'),
    user: idAt(payload, 'user'),
    thread:
      textAt(message, 'thread_ts') ?? textAt(message, 'ts') ?? textAt(payload, 'container', 'message_ts'),
    text: undefined,
    isBot: false,
    isDirect: false,
    about: defined({
      callback_id: at(payload, 'callback_id') ?? at(view, 'callback_id'),
      actions: at(payload, 'actions'),
      state: at(payload, 'state') ?? at(view, 'state'),
      message: at(message, 'text'),
    }),
  };
}

/** Slack writes an id, or an object that has it. */
const idAt = (from: Json | undefined, ...path: readonly string[]): string | undefined =>
  textAt(from, ...path) ?? textAt(from, ...path, 'id');

const only = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
