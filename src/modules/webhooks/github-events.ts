import { getOwn, type JsonObject } from '../../tool/json.ts';
import { findObject } from './payload.ts';

/** GitHub's event names, for the suggestions of editors. Other names are accepted, too. */
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
  | (string & {}); // so that editors still suggest the names above

/** An event, or one of its actions, as in `issues` or `issues.opened`. */
export type GithubEvent = GithubEventName | `${GithubEventName}.${string}`;

/** The event that a name in `events` belongs to. */
export type EventOf<Asked extends string> = Asked extends `${infer Event}.${string}` ? Event : Asked;

/** The top-level keys that an event's payload has, and those that only related events have. */
interface EventShape {
  readonly has: readonly string[];
  readonly lacks?: readonly string[];
}

/** The payloads of events. GitHub signs the payload, but not the header with the event's name. */
const EVENT_SHAPES: Readonly<Record<string, EventShape>> = {
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
  // Dependabot alerts and secret scanning alerts have the same keys.
  code_scanning_alert: { has: ['alert', 'commit_oid'] },
  dependabot_alert: { has: ['alert'], lacks: ['commit_oid'] },
  secret_scanning_alert: { has: ['alert'], lacks: ['commit_oid'] },
};

/** Returns whether a payload fits the event. Every payload fits an event that is not listed. */
export function isPayloadOf(event: string, payload: JsonObject): boolean {
  const shape = getOwn(EVENT_SHAPES, event);
  if (!shape) return true;
  const { has, lacks = [] } = shape;
  return has.every((key) => Object.hasOwn(payload, key)) && !lacks.some((key) => Object.hasOwn(payload, key));
}

/**
 * The keys of texts that people write, the most specific first. For example, a comment belongs to an issue.
 */
const TEXT_KEYS = [
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

export function findTextObject(payload: JsonObject): JsonObject | undefined {
  for (const key of TEXT_KEYS) {
    const words = findObject(payload, key);
    if (words) return words;
  }
  return undefined;
}
