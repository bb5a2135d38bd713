import { type GithubDelivery, githubWebhook, ignored, type Webhook } from '../../modules/webhooks/entry.ts';
import { createSubjectContext } from './subject.ts';

/** The maximum number of characters of the issue's body in the first message. A tool reads the rest. */
const MAX_BODY = 2_000;

/** Starts the triage of an issue when a user opens it. Every caller of the app can access its sessions. */
export const triageWebhook: Webhook = githubWebhook({
  agent: 'triage',
  secret: (env) => env.GITHUB_WEBHOOK_SECRET,
  events: ['issues.opened'],
  start: toTriage,
});

/**
 * Returns the message and context of a delivery. The message is JSON, so that text of strangers is only in
 * values. The context determines the issue that the tools work on.
 */
function toTriage({ repository, number, title, author, body = '', usual }: GithubDelivery) {
  if (repository === undefined || number === undefined) return ignored('It is about no issue.');
  const issue = { repository, issue: number, title, author, body: body.slice(0, MAX_BODY) };
  return { ...usual, message: JSON.stringify(issue), context: createSubjectContext({ repository, number }) };
}
