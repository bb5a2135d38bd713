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
