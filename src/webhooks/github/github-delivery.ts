import type { JsonObject } from '../../tool/json.ts';
import type { SenderDelivery } from '../from-sender.ts';
import {
  known,
  look,
  numberAt,
  objectAt,
  oneLine,
  tell,
  tellJson,
  textAt,
  toSessionId,
  type Words,
  word,
} from '../tell.ts';

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

interface Seen {
  readonly hook: string;
  readonly headers: Headers;
  readonly env: GithubDelivery['env'];
  readonly payload: JsonObject;
}

/** Shows a payload. The session is taken from signed parts alone, so that a replay under another event finds its turn. */
export async function toGithubDelivery({ hook, headers, env, payload }: Seen): Promise<GithubDelivery> {
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
    sender: sender && { login: textAt(sender, 'login') ?? 'unknown', isBot: look(sender, 'type') === 'Bot' },
  };
  const usual = { session: await sessionOf(seen), message: messageOf(seen), context: contextOf(seen) };
  return { ...seen, usual };
}

type Unmapped = Omit<GithubDelivery, 'usual'>;

/** What has a number that people call it by. */
const threadOf = (payload: JsonObject): JsonObject | undefined =>
  objectAt(payload, 'issue') ?? objectAt(payload, 'pull_request') ?? objectAt(payload, 'discussion');

/** Where words may stand, the most particular first: a comment is on an issue, and not the other way round. */
const SPEAKING = [
  'comment',
  'review',
  'issue',
  'pull_request',
  'discussion',
  'release',
  'head_commit',
  'check_run',
  'workflow_run',
  'workflow_job',
  'deployment_status',
  'deployment',
  'alert',
  'milestone',
];

function wordsOf(payload: JsonObject): JsonObject | undefined {
  for (const key of SPEAKING) {
    const words = objectAt(payload, key);
    if (words) return words;
  }
  return undefined;
}

/** One conversation for an issue or a pull request, else for a repository, an organization or a person. */
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
  const what = word(action) === undefined ? event : `${event} ${action}`;
  const where = word(repository) === undefined ? '' : ` in ${repository}`;
  const login = word(sender?.login);
  const lines = [
    `GitHub: ${what}${where}${number === undefined ? '' : `#${number}`}`,
    login && `caused by ${login}`,
    word(url),
  ];
  return tell({ lines, words: outsiders(seen) });
}

/** Titles and names are as much the words of strangers as texts are; often of others than who has written the text. */
function outsiders({ title, body, author, payload }: Unmapped): readonly Words[] {
  const by = word(author);
  if (title === undefined && body === undefined) return [{ text: tellJson(withoutWho(payload)) }];
  const named = title === undefined ? [] : [{ by: titledBy(payload) ?? by, text: oneLine(title) }];
  const said = body === undefined ? [] : [{ by, text: body }];
  const [first, second] = [...named, ...said];
  return first && second && first.by === second.by
    ? [{ by, text: `${first.text}\n\n${second.text}` }]
    : [...named, ...said];
}

const titledBy = (payload: JsonObject): string | undefined =>
  word(textAt(threadOf(payload), 'user', 'login'));

/** Every payload has these, at length, and the facts have named them. */
function withoutWho(payload: JsonObject): JsonObject {
  const { repository, organization, sender, installation, enterprise, ...what } = payload;
  return what;
}

/** For the tools: whatever a model was talked into, a tool that reads these acts where the event was. */
const contextOf = ({ hook, event, action, delivery, repository, number, sender }: Unmapped): JsonObject => ({
  webhook: known({ hook, event, action, delivery, repository, number, sender: sender?.login }),
});
