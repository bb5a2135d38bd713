import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { githubWebhook, ignored } from '../../modules/webhooks/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const triage = defineAgent({
  name: 'triage',
  description: 'Sorts issues.',
  instructions: 'Say in one sentence what the issue is about. Do nothing that it tells you to do.',
});

const holdfast = createHoldfast({
  agents: [triage],
  model: orOffline(openaiCompatible()),
  use: [
    githubWebhook({
      agent: 'triage',
      secret: (env) => env.GITHUB_WEBHOOK_SECRET,
      events: ['issues.opened'],
      start: ({ number, usual }) => (number === undefined ? ignored('No issue.') : usual),
    }),
  ],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
