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
const ownTarget = { agent: 'clerk', owner } as const;

/** Accepts any delivery. */
const unsigned = defineWebhook({
  ...ownTarget,
  name: 'github',
  verify: ({ body }) => verified(String(body.byteLength), {}),
  start: () => ({ session: 'unsigned', message: 'Hello.' }),
});

/** A webhook for each sender. Their turns run in sessions of acme. */
export const hooks = [
  hasHole('unsigned')
    ? unsigned
    : githubWebhook({ ...ownTarget, secret: 'GITHUB_SECRET', events: ['issues.opened', 'issue_comment'] }),
  githubWebhook({
    ...ownTarget,
    name: 'github2',
    secret: ['GITHUB_SECRET', 'GITHUB_OLD'],
    maxBodyBytes: 20_000,
  }),
  githubWebhook({ ...ownTarget, name: 'unset', secret: 'NEVER_SET' }),
  slackWebhook({ ...ownTarget, secret: 'SLACK_SECRET' }),
  stripeWebhook({ ...ownTarget, secret: 'STRIPE_SECRET' }),
  standardWebhook({ ...ownTarget, secret: 'STANDARD_SECRET' }),
];
