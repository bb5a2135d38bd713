import { type JsonObject, own } from '../../tool/json.ts';
import { type Claim, fromSender, type SenderConfig, type SignedArrival } from '../from-sender.ts';
import { fromHex, readJsonOrForm } from '../hmac.ts';
import {
  bodyHash,
  type Knock,
  type Reply,
  reply,
  type Verified,
  verified,
  type Webhook,
  WebhookRefusal,
} from '../webhook.ts';
import { type GithubDelivery, toGithubDelivery } from './github-delivery.ts';

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
  return fromSender<Asked, GithubDelivery<EventOf<Asked>>>(config, {
    name: 'github',
    ids: 'of the sender',
    claim: githubClaim,
    // Not narrowed yet: `events` is looked at before anybody sees the delivery.
    read: (signed) => read(signed, dispatches) as Promise<Verified<GithubDelivery<EventOf<Asked>>> | Reply>,
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
  { headers, body, hook, env }: SignedArrival,
  dispatches: Dispatches,
): Promise<Verified<GithubDelivery> | Reply> {
  const { payload } = readJsonOrForm(body);
  if (!payload) throw new WebhookRefusal('bad-json', 'The form has no field payload.');
  if (headers.get('x-github-event') === 'ping') return reply({ hook, status: 'pong' });
  const delivery = await toGithubDelivery({ hook, headers, env, payload });
  const id = await bodyHash(body);
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
function githubClaim({ headers }: Knock): Claim {
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

/** What GitHub calls its events, as far as an editor should offer them; any other name is taken as well. */
export type GithubEventName =
  | 'check_run'
  | 'check_suite'
  | 'code_scanning_alert'
  | 'commit_comment'
  | 'create'
  | 'delete'
  | 'dependabot_alert'
  | 'deployment'
  | 'deployment_status'
  | 'discussion'
  | 'discussion_comment'
  | 'fork'
  | 'issue_comment'
  | 'issues'
  | 'label'
  | 'member'
  | 'merge_group'
  | 'milestone'
  | 'pull_request'
  | 'pull_request_review'
  | 'pull_request_review_comment'
  | 'pull_request_review_thread'
  | 'push'
  | 'release'
  | 'repository_dispatch'
  | 'secret_scanning_alert'
  | 'star'
  | 'status'
  | 'workflow_dispatch'
  | 'workflow_job'
  | 'workflow_run'
  | (string & {}); // keeps the names above in an editor's list

/** An event, or one of its actions, as in `issues` or `issues.opened`. */
export type GithubEvent = GithubEventName | `${GithubEventName}.${string}`;

/** The event of a name in `events`. */
export type EventOf<Asked extends string> = Asked extends `${infer Event}.${string}` ? Event : Asked;

/** What the payload of an event has at its top, and what only those of its relatives have. */
interface Shape {
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
}

/** The name of the event is in a header, which GitHub does not sign; what the payload has, it does. */
const SHAPES: Readonly<Record<string, Shape>> = {
  check_run: { has: ['check_run'], lacks: ['deployment_status'] },
  check_suite: { has: ['check_suite'] },
  commit_comment: { has: ['comment'], lacks: ['issue', 'pull_request', 'discussion'] },
  create: { has: ['ref', 'ref_type', 'master_branch'] },
  delete: { has: ['ref', 'ref_type'], lacks: ['master_branch'] },
  deployment: { has: ['deployment'], lacks: ['deployment_status', 'workflow_job'] },
  deployment_status: { has: ['deployment', 'deployment_status'] },
  discussion: { has: ['discussion'], lacks: ['comment'] },
  discussion_comment: { has: ['discussion', 'comment'] },
  fork: { has: ['forkee'] },
  issue_comment: { has: ['issue', 'comment'] },
  issues: { has: ['issue'], lacks: ['comment', 'pull_request'] },
  label: { has: ['label'], lacks: ['issue', 'pull_request', 'discussion'] },
  member: { has: ['member'], lacks: ['scope', 'team'] },
  merge_group: { has: ['merge_group'] },
  milestone: { has: ['milestone'], lacks: ['issue', 'pull_request'] },
  pull_request: { has: ['pull_request'], lacks: ['comment', 'review', 'thread'] },
  pull_request_review: { has: ['pull_request', 'review'] },
  pull_request_review_comment: { has: ['pull_request', 'comment'] },
  pull_request_review_thread: { has: ['pull_request', 'thread'] },
  push: { has: ['ref', 'head_commit'] },
  release: { has: ['release'] },
  repository_dispatch: { has: ['client_payload'] },
  star: { has: ['starred_at'] },
  status: { has: ['sha', 'state', 'context'] },
  workflow_dispatch: { has: ['inputs', 'workflow'] },
  workflow_job: { has: ['workflow_job'] },
  workflow_run: { has: ['workflow_run'], lacks: ['deployment', 'deployment_status', 'workflow_job_run'] },
  // Of these only the family shows.
  code_scanning_alert: { has: ['alert', 'commit_oid'] },
  dependabot_alert: { has: ['alert'], lacks: ['commit_oid'] },
  secret_scanning_alert: { has: ['alert'], lacks: ['commit_oid'] },
};

/** Whether the payload is one of this event; of an event that is not listed, whichever it is. */
export function isPayloadOf(event: string, payload: JsonObject): boolean {
  const shape = own(SHAPES, event);
  if (!shape) return true;
  const { has, lacks = [] } = shape;
  return has.every((key) => Object.hasOwn(payload, key)) && !lacks.some((key) => Object.hasOwn(payload, key));
}
