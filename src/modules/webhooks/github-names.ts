/**
 * Finds misspelled GitHub event names, in development. Accepts names that are not similar to a known
 * name, since GitHub adds events.
 */
import { getOwn } from '../../tool/json.ts';
import { findNearest } from '../../tool/shown.ts';

const EVENT_NAMES =
  'branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert commit_comment create custom_property ' +
  'custom_property_values delete dependabot_alert deploy_key deployment deployment_protection_rule deployment_review deployment_status ' +
  'discussion discussion_comment fork github_app_authorization gollum installation installation_repositories installation_target ' +
  'issue_comment issue_dependencies issues label marketplace_purchase member membership merge_group meta milestone org_block organization ' +
  'package page_build personal_access_token_request ping project project_card project_column projects_v2 projects_v2_item ' +
  'projects_v2_status_update public pull_request pull_request_review pull_request_review_comment pull_request_review_thread push ' +
  'registry_package release repository repository_advisory repository_dispatch repository_import repository_ruleset ' +
  'repository_vulnerability_alert secret_scanning_alert secret_scanning_alert_location secret_scanning_scan security_advisory ' +
  'security_and_analysis sponsorship star status sub_issues team team_add watch workflow_dispatch workflow_job workflow_run';

/** The actions of the events that most often start agents. */
const ACTION_NAMES =
  'added answered assigned auto_merge_disabled auto_merge_enabled category_changed closed completed converted_to_draft created deleted ' +
  'demilestoned dequeued dismissed edited enqueued in_progress labeled locked milestoned opened pinned prereleased published queued ' +
  'ready_for_review released removed renamed reopened requested requested_action rerequested resolved review_request_removed ' +
  'review_requested started submitted synchronize transferred typed unanswered unassigned unlabeled unlocked unpinned unpublished ' +
  'unresolved untyped waiting';

/** Names that people mistake for actions: for example, the action of a merged pull request is `closed`. */
const MISTAKEN_NAMES: Readonly<Record<string, string>> = {
  merged: 'closed',
  updated: 'edited',
  synchronized: 'synchronize',
};

/** The maximum number of letters by which a misspelled name can differ. */
const MAX_DISTANCE = 2;

/** Returns the problem with a name in `events`, as the end of a sentence, or `undefined`. */
export function findEventNameProblem(asked: string): string | undefined {
  const [event = '', action] = asked.split('.');
  const meant = findNearestName(event, EVENT_NAMES);
  const meantAction =
    action === undefined
      ? undefined
      : (getOwn(MISTAKEN_NAMES, action) ?? findNearestName(action, ACTION_NAMES));
  if (meant === undefined && meantAction === undefined) return undefined;
  const name = [meant ?? event, meantAction ?? action].filter((one) => one !== undefined).join('.');
  return `which GitHub does not send. Did you mean '${name}'?`;
}

function findNearestName(word: string, known: string): string | undefined {
  const words = known.split(' ');
  return words.includes(word) ? undefined : findNearest(word, words, MAX_DISTANCE);
}
