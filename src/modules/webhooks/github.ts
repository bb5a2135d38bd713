import { computeSha256Hex } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { type EventOf, findTextObject, type GithubEvent, isPayloadOf } from './github-events.ts';
import { findEventNameProblem } from './github-names.ts';
import {
  describeDelivery,
  describeJson,
  findNumber,
  findObject,
  findText,
  findValue,
  type OutsideText,
  readJsonOrForm,
  toOneLine,
  toSafeToken,
  withoutUndefined,
} from './payload.ts';
import { fromHex } from './signature.ts';
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
 * A delivery from GitHub. Properties that the event does not have are `undefined`. `payload` contains all
 * data from GitHub.
 */
export interface GithubDelivery<Event extends string = string> extends SenderDelivery {
  /**
   * The value of `X-GitHub-Event`. GitHub does not sign it, so an attacker who replays a delivery can choose
   * it. `unknown` if it is not a valid name.
   */
  readonly event: Event;
  /** The value of `X-GitHub-Delivery`. GitHub does not sign it. */
  readonly delivery: string | undefined;
  /** The action, such as `opened`. */
  readonly action: string | undefined;
  /** The repository, such as `acme/shop`. */
  readonly repository: string | undefined;
  /** The number of the issue, pull request or discussion. */
  readonly number: number | undefined;
  /** The title of the issue, pull request or discussion, or else of the event's subject. */
  readonly title: string | undefined;
  /** The text of a comment, review or issue, the notes of a release, or the message of a commit. */
  readonly body: string | undefined;
  /** The author of `body`. */
  readonly author: string | undefined;
  /** The URL of the web page. */
  readonly url: string | undefined;
  /** The user that caused the event. */
  readonly sender: { readonly login: string; readonly isBot: boolean } | undefined;
  readonly payload: JsonObject;
}

/** The options of `githubWebhook`. */
export interface GithubWebhookConfig<Asked extends GithubEvent>
  extends SenderConfig<Asked, GithubDelivery<EventOf<Asked>>> {
  /**
   * Whether events that a bot caused are accepted. Defaults to `ignore`, since an agent that answers through
   * a GitHub App would receive its own messages. (If the agent answers with a person's token, `start` must
   * recognize its messages.)
   */
  readonly bots?: 'ignore' | 'take' | undefined;
  /**
   * The behavior for a `repository_dispatch` or `workflow_dispatch` with the same body as an earlier one.
   * `repeat` (the default) distinguishes them by delivery id, which is not signed, so an attacker who has one
   * delivery can start any number of turns with it. `once` identifies them by body for 7 days, like all other
   * events.
   */
  readonly dispatches?: 'repeat' | 'once' | undefined;
}

/**
 * Starts an agent from GitHub's webhooks, of either content type. By default, each issue, pull request and
 * discussion has its own session, `{owner}:{repository}:{number}`. `ping` gets a response but starts no turn.
 *
 * GitHub signs only the body, not the id, event or time of a delivery. This has consequences:
 *
 * - A delivery is identified by its body. A repeated body starts no second turn in its session, regardless of
 *   its id and of the `githubWebhook` that receives it. Events with identical bodies count as one event, such
 *   as a member who is added, removed and added again. `start` can set another `key`. `repository_dispatch`
 *   and `workflow_dispatch` repeat by design, so bodies with a `client_payload` or `inputs` are identified by
 *   body and id together (see `dispatches`).
 * - A delivery is remembered for 7 days, but not after its session is erased, by `DELETE` or by its
 *   retention. An attacker who has a delivery can replay it after that. So change the secret if a delivery
 *   may have leaked, and let tools check whether the requested work is already done.
 * - An event is accepted only if the payload has the keys that GitHub sends with it, so that a pull request
 *   cannot be replayed as an issue. Otherwise, it is ignored. For alerts, repositories and events that this
 *   package does not know, only the header differs, so `start` must check the payload.
 *
 * @throws WebhookDefinitionError if a setting is invalid.
 *
 * @example
 * ```ts
 * const hook = githubWebhook({ agent: 'researcher', secret: 'GITHUB_WEBHOOK_SECRET', events: ['issues.opened'] });
 * ```
 */
export function githubWebhook<const Asked extends GithubEvent = string>(
  config: GithubWebhookConfig<Asked>,
): Webhook {
  const { bots = 'ignore', dispatches = 'repeat' } = config;
  return createSenderWebhook<Asked, GithubDelivery<EventOf<Asked>>>(config, {
    name: 'github',
    ids: 'of the sender',
    readHeader: readGithubHeader,
    // The cast narrows the type to `events`: `createSenderWebhook` checks the event before the app sees the
    // delivery.
    read: (signed) =>
      readDelivery(signed, dispatches) as Promise<VerifiedDelivery<GithubDelivery<EventOf<Asked>>> | Reply>,
    options: {
      bots: BOTS_RULE,
      dispatches: ["'repeat' or 'once'", (given) => given === 'repeat' || given === 'once'],
    },
    misnamed: findEventNameProblem,
    names: ({ event, action }) => (action === undefined ? [event] : [event, `${event}.${action}`]),
    skip: ({ sender, event, payload }) => {
      if (!isPayloadOf(event, payload)) return `Its payload does not match the event '${event}'.`;
      return sender?.isBot && bots !== 'take' ? 'A bot caused it, and this webhook ignores bots.' : undefined;
    },
  });
}

type DispatchConfig = NonNullable<GithubWebhookConfig<never>['dispatches']>;

async function readDelivery(
  { headers, body, hook, env }: SignedDelivery,
  dispatches: DispatchConfig,
): Promise<VerifiedDelivery<GithubDelivery> | Reply> {
  const { payload } = readJsonOrForm(body);
  if (!payload) throw new WebhookRefusal('bad-json', 'The form has no field payload.');
  if (headers.get('x-github-event') === 'ping') return reply({ hook, status: 'pong' });
  const delivery = await toGithubDelivery({ hook, headers, env, payload });
  const id = await computeSha256Hex(body);
  return verified(
    dispatches === 'repeat' && isDispatch(payload) ? `${id}:${delivery.delivery ?? ''}` : id,
    delivery,
  );
}

/**
 * Returns whether a payload is a dispatch. Only signed data can distinguish a replay from a new event, but a
 * dispatch that is requested twice is not a replay. The signature cannot be the id, since it changes with the
 * secret.
 */
const isDispatch = (payload: JsonObject): boolean =>
  Object.hasOwn(payload, 'client_payload') || Object.hasOwn(payload, 'inputs');

const SIGNATURE_SCHEME = 'sha256=';

/**
 * Reads `X-Hub-Signature-256`, the HMAC of the raw body (GitHub, "Validating webhook deliveries"). Ignores
 * the older SHA-1 header.
 *
 * @throws WebhookRefusal if it has no signature.
 */
function readGithubHeader({ headers }: UnverifiedRequest): SignatureHeader {
  const header = headers.get('x-hub-signature-256');
  if (header === null) {
    throw new WebhookRefusal(
      'invalid-signature',
      'X-Hub-Signature-256 is missing. Set the secret of the webhook to the one of this Worker.',
    );
  }
  const signature = header.startsWith(SIGNATURE_SCHEME)
    ? fromHex(header.slice(SIGNATURE_SCHEME.length))
    : undefined;
  if (signature) return { signatures: [signature], ahead: '' };
  const problem = 'X-Hub-Signature-256 must be sha256= and 64 hexadecimal digits, once.';
  throw new WebhookRefusal('invalid-signature', problem);
}

type VerifiedPayload = Pick<GithubDelivery, 'hook' | 'headers' | 'env' | 'payload'>;

/**
 * Converts a payload to a delivery. The session depends only on signed data, so that a replay with another
 * event name finds its turn.
 */
async function toGithubDelivery({ hook, headers, env, payload }: VerifiedPayload): Promise<GithubDelivery> {
  const named = headers.get('x-github-event') ?? '';
  const event = /^[a-z0-9_]{1,64}$/.test(named) ? named : 'unknown';
  const delivery = headers.get('x-github-delivery') ?? undefined;
  const thread = findThread(payload);
  const words = findTextObject(payload);
  const sender = findObject(payload, 'sender');
  const seen = {
    hook,
    headers,
    env,
    payload,
    event,
    delivery,
    action: findText(payload, 'action'),
    repository: findText(payload, 'repository', 'full_name'),
    number: findNumber(thread, 'number'),
    title: findText(thread, 'title') ?? findText(words, 'title') ?? findText(words, 'name'),
    body: findText(words, 'body') ?? findText(words, 'message') ?? findText(words, 'description'),
    author:
      findText(words, 'user', 'login') ?? findText(words, 'author', 'login') ?? findText(sender, 'login'),
    url:
      findText(words, 'html_url') ??
      findText(thread, 'html_url') ??
      findText(payload, 'repository', 'html_url'),
    sender: sender && {
      login: findText(sender, 'login') ?? 'unknown',
      isBot: findValue(sender, 'type') === 'Bot',
    },
  };
  const usual = {
    session: await computeSessionId(seen),
    message: formatMessage(seen),
    context: createContext(seen),
  };
  return { ...seen, usual };
}

type DeliveryFacts = Omit<GithubDelivery, 'usual'>;

/**
 * Returns the issue, pull request or discussion of a payload, which are the objects with a number for people.
 */
const findThread = (payload: JsonObject): JsonObject | undefined =>
  findObject(payload, 'issue') ?? findObject(payload, 'pull_request') ?? findObject(payload, 'discussion');

/**
 * Returns one session for each issue or pull request, or else for a repository, an organization or a person.
 */
function computeSessionId({ repository, number, payload, hook }: DeliveryFacts): Promise<string> {
  if (repository !== undefined) {
    const parts = repository.split('/');
    return number === undefined ? toSessionId(...parts) : toSessionId(...parts, String(number));
  }
  const account = findText(payload, 'organization', 'login') ?? findText(payload, 'sender', 'login');
  return toSessionId(account ?? hook);
}

function formatMessage(seen: DeliveryFacts): string {
  const { event, action, repository, number, url, sender } = seen;
  const what = toSafeToken(action) === undefined ? event : `${event} ${action}`;
  const where = toSafeToken(repository) === undefined ? '' : ` in ${repository}`;
  const login = toSafeToken(sender?.login);
  const lines = [
    `GitHub: ${what}${where}${number === undefined ? '' : `#${number}`}`,
    login && `caused by ${login}`,
    toSafeToken(url),
  ];
  return describeDelivery({ lines, outsideTexts: listOutsideTexts(seen) });
}

/**
 * Returns the texts from outsiders. Titles and names are as untrusted as bodies, and often come from other
 * people than the body.
 */
function listOutsideTexts({ title, body, author, payload }: DeliveryFacts): readonly OutsideText[] {
  const by = toSafeToken(author);
  if (title === undefined && body === undefined) return [{ text: describeJson(withoutActors(payload)) }];
  const named = title === undefined ? [] : [{ by: findTitleAuthor(payload) ?? by, text: toOneLine(title) }];
  const said = body === undefined ? [] : [{ by, text: body }];
  const [first, second] = [...named, ...said];
  return first && second && first.by === second.by
    ? [{ by, text: `${first.text}\n\n${second.text}` }]
    : [...named, ...said];
}

const findTitleAuthor = (payload: JsonObject): string | undefined =>
  toSafeToken(findText(findThread(payload), 'user', 'login'));

/** Removes the long objects that every payload has, since the facts already contain their content. */
function withoutActors(payload: JsonObject): JsonObject {
  const { repository, organization, sender, installation, enterprise, ...what } = payload;
  return what;
}

/**
 * Returns the context for the tools. A tool that reads it acts on the event's subject, even if the model was
 * manipulated.
 */
const createContext = ({
  hook,
  event,
  action,
  delivery,
  repository,
  number,
  sender,
}: DeliveryFacts): JsonObject => ({
  webhook: withoutUndefined({ hook, event, action, delivery, repository, number, sender: sender?.login }),
});
