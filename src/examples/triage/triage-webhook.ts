import { type GithubDelivery, githubWebhook, ignored, type Webhook } from '../../modules/webhooks/entry.ts';
import { aboutIssue } from './subject.ts';

/** Characters of a body that the first message holds; the rest is there to be read. */
const MAX_BODY = 2_000;

/** Starts the triage of an issue when somebody opens it. Whoever may talk to the agents may see its sessions. */
export const triageWebhook: Webhook = githubWebhook({
  agent: 'triage',
  secret: (env) => env.GITHUB_WEBHOOK_SECRET,
  events: ['issues.opened'],
  start: toTriage,
});

/**
 * What was delivered, as JSON and nothing else: the instructions say what to do, and no word of a stranger's stands where
 * one of ours could. Which issue the tools work on, the model is not asked.
 */
function toTriage({ repository, number, title, author, body = '', usual }: GithubDelivery) {
  if (repository === undefined || number === undefined) return ignored('It is about no issue.');
  const issue = { repository, issue: number, title, author, body: body.slice(0, MAX_BODY) };
  return { ...usual, message: JSON.stringify(issue), context: aboutIssue({ repository, number }) };
}
