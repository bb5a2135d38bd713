import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { type GithubDelivery, githubWebhook, ignored } from 'holdfast/webhooks';
import { createHoldfast } from 'holdfast/worker';
import { github } from './github.ts';
import { defineTriage } from './triage.ts';

const holdfast = createHoldfast<Cloudflare.Env>({
  agents: [defineTriage(github)],
  model: orOffline(openaiCompatible()),
  use: [
    // POST /hooks/github
    githubWebhook({
      agent: 'triage',
      secret: (env) => env.GITHUB_WEBHOOK_SECRET,
      events: ['issues.opened'],
      start: toTriage,
    }),
    ...(process.env.NODE_ENV === 'development' ? [console()] : []), // GET /console
  ],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';

/** Returns the message for a delivery as JSON, so that a stranger's text is always inside a value. */
function toTriage({ repository, number, title, author, body = '', usual }: GithubDelivery) {
  if (repository === undefined || number === undefined) return ignored('It is about no issue.');
  const message = JSON.stringify({ title, author, body: body.slice(0, 4_000) });
  return { ...usual, message, context: { issue: { repository, number } } };
}
