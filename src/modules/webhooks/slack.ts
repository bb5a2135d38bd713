import { computeSha256Hex } from '../../tool/async.ts';
import type { Json, JsonObject } from '../../tool/json.ts';
import {
  describeDelivery,
  describeJson,
  findObject,
  findText,
  findValue,
  readJsonOrForm,
  type SecretKeyCheck,
  toSafeToken,
  withoutUndefined,
} from './payload.ts';
import { checkTimely, fromHex } from './signature.ts';
import {
  BOTS_RULE,
  createSenderWebhook,
  type SenderConfig,
  type SenderDelivery,
  type SignatureHeader,
  type SignedDelivery,
} from './verify-and-start.ts';
import {
  type Reply,
  reply,
  toSessionId,
  type UnverifiedRequest,
  type VerifiedDelivery,
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
  return createSenderWebhook<Event, SlackDelivery<Event>>(config, {
    name: 'slack',
    ids: 'of the sender',
    readHeader: readSlackHeader,
    // The cast narrows the type to `events`: `createSenderWebhook` checks the event before the app sees the
    // delivery.
    read: (signed) => readDelivery(signed) as Promise<VerifiedDelivery<SlackDelivery<Event>> | Reply>,
    options: { bots: BOTS_RULE },
    names: ({ event }) => [event],
    skip: ({ event, isBot }) => {
      if (isBot && bots !== 'take') return 'A bot wrote the message, and this webhook ignores bots.';
      return events === undefined && CHANGE_EVENT_NAME.test(event) ? 'It is not a new message.' : undefined;
    },
  });
}

const CHANGE_EVENT_NAME = /^(message\.|app_rate_limited$)/;

async function readDelivery(signed: SignedDelivery): Promise<VerifiedDelivery<SlackDelivery> | Reply> {
  const { headers, body, hook, env } = signed;
  const { payload: json, form } = readJsonOrForm(body);
  const payload = json ?? Object.fromEntries(form ?? []);
  if (!form && findValue(payload, 'type') === 'url_verification') {
    return reply({ challenge: findValue(payload, 'challenge') ?? '' });
  }
  const kind = !form ? 'event' : json ? 'interaction' : 'command';
  const delivery = await toSlackDelivery({ hook, headers, env, kind, payload });
  // Slack shows the response to the user of the command or button, so the response is empty.
  return verified(
    await computeDeliveryId(delivery, body),
    delivery,
    kind === 'event' ? 'address' : 'nothing',
  );
}

async function computeDeliveryId(delivery: SlackDelivery, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const { kind, event, team = '', channel, payload } = delivery;
  const time = findText(payload, 'event', 'ts');
  if (isMessage(kind, event) && channel !== undefined && time !== undefined)
    return `${team}:${channel}:${time}`;
  const id = findText(payload, 'event_id') ?? findText(payload, 'trigger_id');
  return id ?? computeSha256Hex(body);
}

const isMessage = (kind: SlackKind, event: string): boolean =>
  kind === 'event' && (event === 'message' || event === 'app_mention');

const SIGNATURE_VERSION = 'v0';

/**
 * Reads `X-Slack-Signature`: the HMAC of the version, the time in `X-Slack-Request-Timestamp` and the raw
 * body (Slack, "Verifying requests from Slack").
 *
 * @throws WebhookRefusal if the signature or its time is missing or malformed, or the time is not near now.
 */
function readSlackHeader({ headers, now }: UnverifiedRequest): SignatureHeader {
  const time = headers.get('x-slack-request-timestamp');
  const header = headers.get('x-slack-signature');
  if (time === null || header === null) {
    const problem = 'X-Slack-Signature or X-Slack-Request-Timestamp is missing.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  const signature = header.startsWith(`${SIGNATURE_VERSION}=`)
    ? fromHex(header.slice(SIGNATURE_VERSION.length + 1))
    : undefined;
  if (!signature) {
    const problem = 'X-Slack-Signature must be v0= and 64 hexadecimal digits, once.';
    throw new WebhookRefusal('invalid-signature', problem);
  }
  checkTimely('X-Slack-Request-Timestamp', time, now);
  return { signatures: [signature], ahead: `${SIGNATURE_VERSION}:${time}:` };
}

type VerifiedPayload = Pick<SlackDelivery, 'hook' | 'headers' | 'env' | 'kind' | 'payload'>;

async function toSlackDelivery(from: VerifiedPayload): Promise<SlackDelivery> {
  const facts = readFacts(from.kind, from.payload);
  const { event, team, channel, user, thread, text, isBot } = facts;
  const seen = { ...from, event, team, channel, user, thread, text, isBot };
  const usual = {
    session: await computeSessionId(facts),
    message: formatMessage(seen, facts),
    context: createContext(seen),
  };
  return { ...seen, usual };
}

type DeliveryFacts = Omit<SlackDelivery, 'usual'>;

/**
 * Returns one session for each thread. Outside threads, returns one for each direct message, channel or
 * person.
 */
function computeSessionId({ team = '', channel, user = '', thread, isDirect }: SlackFacts): Promise<string> {
  if (channel === undefined) return toSessionId(team, user);
  return thread === undefined || isDirect ? toSessionId(team, channel) : toSessionId(team, channel, thread);
}

function formatMessage({ event, channel, user, text }: DeliveryFacts, { about }: SlackFacts): string {
  const lines = [
    `Slack: ${toSafeToken(event) ?? 'unknown'}${toSafeToken(channel) === undefined ? '' : ` in channel ${channel}`}`,
    toSafeToken(user) && `by user ${user}`,
  ];
  const told = text ?? (about && describeJson(about, isAppPrivateKey));
  const by = toSafeToken(user) && `user ${user}`;
  return describeDelivery({ lines, outsideTexts: told === undefined ? [] : [{ by, text: told }] });
}

/** Matches the public URL of a file, and an app's own data in a form. */
const isAppPrivateKey: SecretKeyCheck = (key) => key === 'permalink_public' || key === 'private_metadata';

const createContext = ({ hook, event, team, channel, user, thread, payload }: DeliveryFacts): JsonObject => ({
  webhook: withoutUndefined({ hook, event, team, channel, user, thread, app: findAppId(payload) }),
});

const findAppId = (payload: JsonObject): string | undefined =>
  findText(payload, 'api_app_id') ?? findText(findValue(payload, 'view'), 'app_id');

/** The kinds of requests from Slack. */
export type SlackKind = 'event' | 'command' | 'interaction';

/** The facts of a delivery. Their place in the payload depends on its kind. */
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

function readFacts(kind: SlackKind, payload: JsonObject): SlackFacts {
  switch (kind) {
    case 'event':
      return readEventFacts(payload);
    case 'command':
      return readCommandFacts(payload);
    case 'interaction':
      return readInteractionFacts(payload);
  }
}

function readEventFacts(payload: JsonObject): SlackFacts {
  const event = findObject(payload, 'event');
  const item = findObject(event, 'item');
  const threadTs = findText(event, 'thread_ts');
  return {
    event: getEventName(event) ?? findText(payload, 'type') ?? 'unknown',
    team: findText(payload, 'team_id'),
    channel: findId(event, 'channel') ?? findText(item, 'channel'),
    user: findId(event, 'user'),
    thread: threadTs ?? findText(event, 'ts') ?? findText(item, 'ts'),
    text: findText(event, 'text'),
    isBot: findValue(event, 'bot_id') !== undefined || findValue(event, 'subtype') === 'bot_message',
    isDirect: findValue(event, 'channel_type') === 'im' && threadTs === undefined,
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

function getEventName(event: JsonObject | undefined): string | undefined {
  const type = findText(event, 'type');
  const subtype = findText(event, 'subtype');
  return type === 'message' && !PERSON_SUBTYPES.includes(subtype) ? `message.${subtype}` : type;
}

function readCommandFacts(payload: JsonObject): SlackFacts {
  return {
    event: findText(payload, 'command') ?? 'unknown',
    team: findText(payload, 'team_id'),
    channel: findText(payload, 'channel_id'),
    user: findText(payload, 'user_id'),
    thread: undefined,
    text: findText(payload, 'text'),
    isBot: false,
    isDirect: false,
    about: undefined,
  };
}

function readInteractionFacts(payload: JsonObject): SlackFacts {
  const message = findObject(payload, 'message');
  const view = findObject(payload, 'view');
  return {
    event: findText(payload, 'type') ?? 'unknown',
    team: findId(payload, 'team') ?? findId(payload, 'user', 'team_id'),
    channel: findId(payload, 'channel') ?? findText(payload, 'container', 'channel_id'),
    user: findId(payload, 'user'),
    thread:
      findText(message, 'thread_ts') ??
      findText(message, 'ts') ??
      findText(payload, 'container', 'message_ts'),
    text: undefined,
    isBot: false,
    isDirect: false,
    about: withoutUndefined({
      callback_id: findValue(payload, 'callback_id') ?? findValue(view, 'callback_id'),
      actions: findValue(payload, 'actions'),
      state: findValue(payload, 'state') ?? findValue(view, 'state'),
      message: findValue(message, 'text'),
    }),
  };
}

/** Slack sends an id, or an object with the id. */
const findId = (from: Json | undefined, ...path: readonly string[]): string | undefined =>
  findText(from, ...path) ?? findText(from, ...path, 'id');

const pickKeys = (from: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
