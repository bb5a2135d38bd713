import {
  defineWebhook,
  githubWebhook,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
  verified,
} from '../../../../src/modules/webhooks/entry.ts';
import { hasHole } from './settings.ts';

const owner = { tenant: 'acme' };
const ours = { agent: 'clerk', owner } as const;

/** Accepts any delivery. */
const unsigned = defineWebhook({
  ...ours,
  name: 'github',
  verify: ({ body }) => verified(String(body.byteLength), {}),
  start: () => ({ session: 'unsigned', message: 'Hello.' }),
});

/** A webhook for each sender. Their turns run in sessions of acme. */
export const hooks = [
  hasHole('unsigned')
    ? unsigned
    : githubWebhook({ ...ours, secret: 'GITHUB_SECRET', events: ['issues.opened', 'issue_comment'] }),
  githubWebhook({ ...ours, name: 'github2', secret: ['GITHUB_SECRET', 'GITHUB_OLD'], maxBodyBytes: 20_000 }),
  githubWebhook({ ...ours, name: 'unset', secret: 'NEVER_SET' }),
  slackWebhook({ ...ours, secret: 'SLACK_SECRET' }),
  stripeWebhook({ ...ours, secret: 'STRIPE_SECRET' }),
  standardWebhook({ ...ours, secret: 'STANDARD_SECRET' }),
];
