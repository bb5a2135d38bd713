import { sha256Hex } from '../../tool/async.ts';
import type { JsonObject } from '../../tool/json.ts';
import { type EventOf, type GithubEvent, isPayloadOf, wordsOf } from './github-events.ts';
import { misnamed } from './github-names.ts';
import {
  at,
  defined,
  describeDelivery,
  describeJson,
  numberAt,
  type OutsideText,
  objectAt,
  oneLine,
  readJsonOrForm,
  safeToken,
  textAt,
} from './payload.ts';
import { fromHex } from './signature.ts';
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

/** A delivery of GitHub. What it does not speak of is `undefined`; the payload holds the rest, as GitHub sent it. */
export interface GithubDelivery<Event extends string = string> extends SenderDelivery {
  /** Of `X-GitHub-Event`, which GitHub does not sign: whoever replays a delivery can choose it. `unknown` when it is no name. */
  readonly event: Event;
  /** Of `X-GitHub-Delivery`, which GitHub does not sign either. */
  readonly delivery: string | undefined;
  /** Such as `opened`. */
  readonly action: string | undefined;
  /** As in `acme/shop`. */
  readonly repository: string | undefined;
  /** Of the issue, pull request or discussion. */
  readonly number: number | undefined;
  /** Of the issue, pull request or discussion; of what the event is about otherwise. */
  readonly title: string | undefined;
  /** What somebody wrote: a comment, a review, the text of an issue, the notes of a release, the message of a commit. */
  readonly body: string | undefined;
  /** Who wrote it. */
  readonly author: string | undefined;
  /** Where a person sees it. */
  readonly url: string | undefined;
  /** Who caused the event. */
  readonly sender: { readonly login: string; readonly isBot: boolean } | undefined;
  readonly payload: JsonObject;
}

/** The literal that `githubWebhook` takes. */
export interface GithubWebhookConfig<Asked extends GithubEvent>
  extends SenderConfig<Asked, GithubDelivery<EventOf<Asked>>> {
  /**
   * What becomes of events that a bot caused; `ignore` unless given, since an agent that answers through a GitHub App would
   * hear itself. (One that answers with a person's token has to tell its own words apart in `start`.)
   */
  readonly bots?: 'ignore' | 'take' | undefined;
  /**
   * What becomes of a `repository_dispatch` or `workflow_dispatch` that says the same in every byte as one before it. `repeat`
   * unless given: it is told apart by the id of its delivery, which is not signed, so that whoever has got hold of one can
   * start as many turns with it as they like. `once`: it is known by its body, like everything else, for those 7 days.
   */
  readonly dispatches?: 'repeat' | 'once' | undefined;
}

/**
 * Starts an agent by GitHub's webhooks, of either content type. By default each issue, pull request and discussion has a
 * session of its own, `{owner}:{repository}:{number}`. `ping` is answered and starts nothing.
 *
 * GitHub signs the body alone: neither the id of a delivery, nor its event, nor its time. What follows from that:
 *
 * - A delivery is known by its body. One that is sent again starts nothing in its session, under whichever id and at whichever
 *   `githubWebhook` of the app. Events that say the same in every byte are one event, such as a member who is added, removed
 *   and added again; `start` may say otherwise by `key`. `repository_dispatch` and `workflow_dispatch` repeat by design, and
 *   bodies with a `client_payload` or with `inputs` are therefore known by body and id together: see `dispatches`.
 * - It is known for 7 days, and no longer than its session: a session that is erased, by `DELETE` or by its retention, takes
 *   what it knew with it. Whoever has got hold of a delivery can play it again after that: change the secret when one may have
 *   leaked, and let tools find out whether what they are asked to do is still to be done.
 * - The event is taken at its word only if the payload has what GitHub sends with it, so that a pull request is not played again
 *   as an issue; otherwise it is ignored. Of alerts, of repositories and of events that this package does not know, which differ
 *   by their header alone, `start` has to look at the payload.
 *
 * @throws WebhookDefinitionError when a setting is none.
 */
export function githubWebhook<const Asked extends GithubEvent = string>(
  config: GithubWebhookConfig<Asked>,
): Webhook {
  const { bots = 'ignore', dispatches = 'repeat' } = config;
  return verifyAndStart<Asked, GithubDelivery<EventOf<Asked>>>(config, {
    name: 'github',
    ids: 'of the sender',
    readHeader: readGithubHeader,
    // The cast narrows what `events` makes true: it is looked at before anybody sees the delivery.
    read: (signed) => read(signed, dispatches) as Promise<Verified<GithubDelivery<EventOf<Asked>>> | Reply>,
    options: {
      bots: BOTS,
      dispatches: ["'repeat' or 'once'", (given) => given === 'repeat' || given === 'once'],
    },
    misnamed,
    names: ({ event, action }) => (action === undefined ? [event] : [event, `${event}.${action}`]),
    skip: ({ sender, event, payload }) => {
      if (!isPayloadOf(event, payload)) return `Its payload is not that of an event '${event}'.`;
      return sender?.isBot && bots !== 'take'
        ? 'A bot caused it, and this webhook takes nothing from bots.'
        : undefined;
    },
  });
}

type Dispatches = NonNullable<GithubWebhookConfig<never>['dispatches']>;

async function read(
  { headers, body, hook, env }: SignedDelivery,
  dispatches: Dispatches,
): Promise<Verified<GithubDelivery> | Reply> {
  const { payload } = readJsonOrForm(body);
  if (!payload) throw new WebhookRefusal('bad-json', 'The form has no field payload.');
  if (headers.get('x-github-event') === 'ping') return reply({ hook, status: 'pong' });
  const delivery = await toGithubDelivery({ hook, headers, env, payload });
  const id = await sha256Hex(body);
  return verified(
    dispatches === 'repeat' && isDispatch(payload) ? `${id}:${delivery.delivery ?? ''}` : id,
    delivery,
  );
}

/**
 * Only what is signed can tell a replay from a new event; but what was asked for twice is no replay. Not the signature:
 * GitHub signs anew what it sends again after its secret was changed.
 */
const isDispatch = (payload: JsonObject): boolean =>
  Object.hasOwn(payload, 'client_payload') || Object.hasOwn(payload, 'inputs');

const SCHEME = 'sha256=';

/**
 * Reads `X-Hub-Signature-256`, the HMAC of the raw body (GitHub, "Validating webhook deliveries"). The older SHA-1 header is
 * not looked at. @throws WebhookRefusal when it holds no signature.
 */
function readGithubHeader({ headers }: UnverifiedRequest): SignatureHeader {
  const header = headers.get('x-hub-signature-256');
  if (header === null) {
    throw new WebhookRefusal(
      'invalid-signature',
      'X-Hub-Signature-256 is missing: give the webhook a secret, the one that this Worker has.',
    );
  }
  const signature = header.startsWith(SCHEME) ? fromHex(header.slice(SCHEME.length)) : undefined;
  if (signature) return { signatures: [signature], ahead: '' };
  const problem = 'X-Hub-Signature-256 has to be sha256= and 64 hexadecimal digits, once.';
  throw new WebhookRefusal('invalid-signature', problem);
}

type Seen = Pick<GithubDelivery, 'hook' | 'headers' | 'env' | 'payload'>;

/** Shows a payload. The session is taken from signed parts alone, so that a replay under another event finds its turn. */
async function toGithubDelivery({ hook, headers, env, payload }: Seen): Promise<GithubDelivery> {
  const named = headers.get('x-github-event') ?? '';
  const event = /^[a-z0-9_]{1,64}$/.test(named) ? named : 'unknown';
  const delivery = headers.get('x-github-delivery') ?? undefined;
  const thread = threadOf(payload);
  const words = wordsOf(payload);
  const sender = objectAt(payload, 'sender');
  const seen = {
    hook,
    headers,
    env,
    payload,
    event,
    delivery,
    action: textAt(payload, 'action'),
    repository: textAt(payload, 'repository', 'full_name'),
    number: numberAt(thread, 'number'),
    title: textAt(thread, 'title') ?? textAt(words, 'title') ?? textAt(words, 'name'),
    body: textAt(words, 'body') ?? textAt(words, 'message') ?? textAt(words, 'description'),
    author: textAt(words, 'user', 'login') ?? textAt(words, 'author', 'login') ?? textAt(sender, 'login'),
    url: textAt(words, 'html_url') ?? textAt(thread, 'html_url') ?? textAt(payload, 'repository', 'html_url'),
    sender: sender && { login: textAt(sender, 'login') ?? 'unknown', isBot: at(sender, 'type') === 'Bot' },
  };
  const usual = { session: await sessionOf(seen), message: messageOf(seen), context: contextOf(seen) };
  return { ...seen, usual };
}

type Unmapped = Omit<GithubDelivery, 'usual'>;

/** Finds the issue, pull request or discussion: what has a number that people call it by. */
const threadOf = (payload: JsonObject): JsonObject | undefined =>
  objectAt(payload, 'issue') ?? objectAt(payload, 'pull_request') ?? objectAt(payload, 'discussion');

/** Each conversation has a session: one for an issue or a pull request, else for a repository, an organization or a person. */
function sessionOf({ repository, number, payload, hook }: Unmapped): Promise<string> {
  if (repository !== undefined) {
    const parts = repository.split('/');
    return number === undefined ? toSessionId(...parts) : toSessionId(...parts, String(number));
  }
  const account = textAt(payload, 'organization', 'login') ?? textAt(payload, 'sender', 'login');
  return toSessionId(account ?? hook);
}

function messageOf(seen: Unmapped): string {
  const { event, action, repository, number, url, sender } = seen;
  const what = safeToken(action) === undefined ? event : `${event} ${action}`;
  const where = safeToken(repository) === undefined ? '' : ` in ${repository}`;
  const login = safeToken(sender?.login);
  const lines = [
    `GitHub: ${what}${where}${number === undefined ? '' : `#${number}`}`,
    login && `caused by ${login}`,
    safeToken(url),
  ];
  return describeDelivery({ lines, outsideTexts: outsiders(seen) });
}

/** Titles and names are as much the words of strangers as texts are; often of others than who has written the text. */
function outsiders({ title, body, author, payload }: Unmapped): readonly OutsideText[] {
  const by = safeToken(author);
  if (title === undefined && body === undefined) return [{ text: describeJson(withoutWho(payload)) }];
  const named = title === undefined ? [] : [{ by: titledBy(payload) ?? by, text: oneLine(title) }];
  const said = body === undefined ? [] : [{ by, text: body }];
  const [first, second] = [...named, ...said];
  return first && second && first.by === second.by
    ? [{ by, text: `${first.text}\n\n${second.text}` }]
    : [...named, ...said];
}

const titledBy = (payload: JsonObject): string | undefined =>
  safeToken(textAt(threadOf(payload), 'user', 'login'));

/** Leaves out what every payload has, at length, and the facts have named. */
function withoutWho(payload: JsonObject): JsonObject {
  const { repository, organization, sender, installation, enterprise, ...what } = payload;
  return what;
}

/** The context is for the tools: whatever a model was talked into, a tool that reads these acts where the event was. */
const contextOf = ({ hook, event, action, delivery, repository, number, sender }: Unmapped): JsonObject => ({
  webhook: defined({ hook, event, action, delivery, repository, number, sender: sender?.login }),
});
