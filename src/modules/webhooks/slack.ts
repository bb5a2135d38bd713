import { sha256Hex } from '../../tool/async.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import {
  describeDelivery,
  describeJson,
  type IsSecret,
  objectAt,
  readJsonOrForm,
  safeToken,
  textAt,
  valueAt,
  withoutUndefined,
} from './payload.ts';
import { checkTimely, fromHex } from './signature.ts';
import {
  BOTS_RULE,
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

/**
 * A delivery from Slack. Properties that it does not have are `undefined`. `payload` contains all data from
 * Slack.
 */
export interface SlackDelivery<Event extends string = string> extends SenderDelivery {
  /** An event of the Events API, a slash command, or an interaction with a button, a menu or a form. */
  readonly kind: SlackKind;
  /**
   * The name, such as `app_mention`, `/deploy` or `block_actions`. For a message with a subtype, it includes
   * the subtype, as in `message.channel_join`.
   */
  readonly event: Event;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  /** Slack's thread id: the timestamp of the thread's first message, or of this message if it is in no thread. */
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /**
   * The whole envelope of an event, or the fields of a command. Contains values that must not be journaled,
   * such as `response_url` and the `bot_access_token` of `function_executed`; `usual` omits them.
   */
  readonly payload: JsonObject;
}

/** The options of `slackWebhook`. `events` are names such as `app_mention`, `/deploy` and `block_actions`. */
export interface SlackWebhookConfig<Event extends string> extends SenderConfig<Event, SlackDelivery<Event>> {
  /**
   * Whether messages from bots are accepted. Defaults to `ignore`, since an agent that answers in Slack would
   * receive its own messages.
   */
  readonly bots?: 'ignore' | 'take' | undefined;
}

/**
 * Starts an agent from events, slash commands and interactions in Slack, at one URL. By default, each
 * thread and each direct message has its own session. A signed `url_verification` gets its response.
 *
 * A message is identified by its channel and time, so that its `message` and its `app_mention` count as one
 * event. Other events are identified by `event_id`, and commands and interactions by `trigger_id`. These are
 * all signed, and stay the same when Slack retries. A delivery that was signed more than 300 s ago is
 * refused. Without `events`, changes to messages and channel notices (`message.channel_join`) are ignored.
 *
 * @throws WebhookDefinitionError if a setting is invalid.
 *
 * @example
 * ```ts
 * const hook = slackWebhook({ agent: 'researcher', secret: 'SLACK_SIGNING_SECRET', events: ['app_mention'] });
 * ```
 */
export function slackWebhook<const Event extends string = string>(
  config: SlackWebhookConfig<Event>,
): Webhook {
  const { bots = 'ignore', events } = config;
  return verifyAndStart<Event, SlackDelivery<Event>>(config, {
    name: 'slack',
    ids: 'of the sender',
    readHeader: readSlackHeader,
    // The cast narrows the type to `events`: `verifyAndStart` checks the event before the app sees the
    // delivery.
    read: (signed) => readDelivery(signed) as Promise<Verified<SlackDelivery<Event>> | Reply>,
    options: { bots: BOTS_RULE },
    names: ({ event }) => [event],
    skip: ({ event, isBot }) => {
      if (isBot && bots !== 'take') return 'A bot wrote the message, and this webhook ignores bots.';
      return events === undefined && CHANGE_EVENTS.test(event) ? 'It is not a new message.' : undefined;
    },
  });
}

const CHANGE_EVENTS = /^(message\.|app_rate_limited$)/;

async function readDelivery(signed: SignedDelivery): Promise<Verified<SlackDelivery> | Reply> {
  const { headers, body, hook, env } = signed;
  const { payload: json, form } = readJsonOrForm(body);
  const payload = json ?? Object.fromEntries(form ?? []);
  if (!form && valueAt(payload, 'type') === 'url_verification') {
    return reply({ challenge: valueAt(payload, 'challenge') ?? '' });
  }
  const kind = !form ? 'event' : json ? 'interaction' : 'command';
  const delivery = await toSlackDelivery({ hook, headers, env, kind, payload });
  // Slack shows the response to the user of the command or button, so the response is empty.
  return verified(await deliveryIdOf(delivery, body), delivery, kind === 'event' ? 'address' : 'nothing');
}

async function deliveryIdOf(delivery: SlackDelivery, body: Uint8Array<ArrayBuffer>): Promise<string> {
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
 * Reads `X-Slack-Signature`: the HMAC of the version, the time in `X-Slack-Request-Timestamp` and the raw
 * body (Slack, "Verifying requests from Slack").
 *
 * @throws WebhookRefusal if the signature is missing or too old.
 */
function readSlackHeader({ headers, now }: UnverifiedRequest): SignatureHeader {
  const time = headers.get('x-slack-request-timestamp');
  const header = headers.get('x-slack-signature');
  if (time === null || header === null) {
    const problem = 'X-Slack-Signature or X-Slack-Request-Timestamp is missing.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const signature = header.startsWith(`${VERSION}=`) ? fromHex(header.slice(VERSION.length + 1)) : undefined;
  if (!signature) {
    const problem = 'X-Slack-Signature must be v0= and 64 hexadecimal digits, once.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  checkTimely('X-Slack-Request-Timestamp', time, now);
  return { signatures: [signature], ahead: `${VERSION}:${time}:` };
}

type VerifiedPayload = Pick<SlackDelivery, 'hook' | 'headers' | 'env' | 'kind' | 'payload'>;

async function toSlackDelivery(from: VerifiedPayload): Promise<SlackDelivery> {
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

type DeliveryFacts = Omit<SlackDelivery, 'usual'>;

/**
 * Returns one session for each thread. Outside threads, returns one for each direct message, channel or
 * person.
 */
function sessionOf({ team = '', channel, user = '', thread, isDirect }: SlackFacts): Promise<string> {
  if (channel === undefined) return toSessionId(team, user);
  return thread === undefined || isDirect ? toSessionId(team, channel) : toSessionId(team, channel, thread);
}

function messageOf({ event, channel, user, text }: DeliveryFacts, { about }: SlackFacts): string {
  const lines = [
    `Slack: ${safeToken(event) ?? 'unknown'}${safeToken(channel) === undefined ? '' : ` in channel ${channel}`}`,
    safeToken(user) && `by user ${user}`,
  ];
  const told = text ?? (about && describeJson(about, isAppPrivateKey));
  const by = safeToken(user) && `user ${user}`;
  return describeDelivery({ lines, outsideTexts: told === undefined ? [] : [{ by, text: told }] });
}

/** Matches the public URL of a file, and an app's own data in a form. */
const isAppPrivateKey: IsSecret = (key) => key === 'permalink_public' || key === 'private_metadata';

const contextOf = ({ hook, event, team, channel, user, thread, payload }: DeliveryFacts): JsonObject => ({
  webhook: withoutUndefined({ hook, event, team, channel, user, thread, app: appOf(payload) }),
});

const appOf = (payload: JsonObject): string | undefined =>
  textAt(payload, 'api_app_id') ?? textAt(valueAt(payload, 'view'), 'app_id');

/** The kinds of requests from Slack. */
export type SlackKind = 'event' | 'command' | 'interaction';

/** The facts of a delivery, whose place depends on the kind of request. */
interface SlackFacts {
  readonly event: string;
  readonly team: string | undefined;
  readonly channel: string | undefined;
  readonly user: string | undefined;
  readonly thread: string | undefined;
  readonly text: string | undefined;
  readonly isBot: boolean;
  /** Whether this is a direct message outside threads. All such messages form one conversation. */
  readonly isDirect: boolean;
  /** Data for the model if the delivery has no text. Contains no credentials. */
  readonly about: JsonObject | undefined;
}

function factsOf(kind: SlackKind, payload: JsonObject): SlackFacts {
  switch (kind) {
    case 'event':
      return factsOfEvent(payload);
    case 'command':
      return factsOfCommand(payload);
    case 'interaction':
      return factsOfInteraction(payload);
  }
}

function factsOfEvent(payload: JsonObject): SlackFacts {
  const event = objectAt(payload, 'event');
  const item = objectAt(event, 'item');
  const threadTs = textAt(event, 'thread_ts');
  return {
    event: eventNameOf(event) ?? textAt(payload, 'type') ?? 'unknown',
    team: textAt(payload, 'team_id'),
    channel: idAt(event, 'channel') ?? textAt(item, 'channel'),
    user: idAt(event, 'user'),
    thread: threadTs ?? textAt(event, 'ts') ?? textAt(item, 'ts'),
    text: textAt(event, 'text'),
    isBot: valueAt(event, 'bot_id') !== undefined || valueAt(event, 'subtype') === 'bot_message',
    isDirect: valueAt(event, 'channel_type') === 'im' && threadTs === undefined,
    about: event && pickKeys(event, SHOWN_KEYS),
  };
}

/**
 * The keys of an event without text that the model sees: its subject, its change and the person. Slack adds
 * keys every year, some of them secret, such as the token in `function_executed`.
 */
const SHOWN_KEYS: readonly string[] = `
  type subtype user inviter channel channel_id channel_type team subteam usergroup ts thread_ts deleted_ts
  event_ts message previous_message item item_user reaction name names old_name topic purpose value status
  tab links file file_id function inputs function_execution_id workflow_execution_id call_id bookmark
  list_id`
  .trim()
  .split(/\s+/);

/** Subtypes of messages that a person wrote. Other subtypes report changes of messages or channels. */
const PERSON_SUBTYPES = [undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'];

function eventNameOf(event: JsonObject | undefined): string | undefined {
  const type = textAt(event, 'type');
  const subtype = textAt(event, 'subtype');
  return type === 'message' && !PERSON_SUBTYPES.includes(subtype) ? `message.${subtype}` : type;
}

function factsOfCommand(payload: JsonObject): SlackFacts {
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

function factsOfInteraction(payload: JsonObject): SlackFacts {
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
    about: withoutUndefined({
      callback_id: valueAt(payload, 'callback_id') ?? valueAt(view, 'callback_id'),
      actions: valueAt(payload, 'actions'),
      state: valueAt(payload, 'state') ?? valueAt(view, 'state'),
      message: valueAt(message, 'text'),
    }),
  };
}

/** Slack sends an id, or an object with the id. */
const idAt = (from: Json | undefined, ...path: readonly string[]): string | undefined =>
  textAt(from, ...path) ?? textAt(from, ...path, 'id');

const pickKeys = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
