import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import { defineAgent, type Json, type JsonObject } from '../../src/index.ts';
import {
  type Delivery,
  defineWebhook,
  type GithubDelivery,
  githubWebhook,
  ignored,
  type RawDelivery,
  reply,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
  type UnverifiedRequest,
  verified,
  type Webhook,
  type WebhookTurn,
} from '../../src/modules/webhooks/entry.ts';

const support = defineAgent({ name: 'support', description: 'Answers.', instructions: 'Answer.', tools: [] });

// An app with one webhook.
const holdfast = createHoldfast({
  agents: [support],
  use: [githubWebhook({ agent: 'triage', secret: 'GITHUB_WEBHOOK_SECRET' })],
});
export default holdfast.worker;

// One list can contain webhooks of all kinds.
createHoldfast({
  agents: [support],
  use: [
    githubWebhook({ agent: 'support', secret: ['NEW', 'OLD'] }),
    stripeWebhook({ agent: 'support', secret: 'STRIPE' }),
    slackWebhook({ agent: 'support', secret: 'SLACK' }),
    standardWebhook({ name: 'crm', agent: 'support', secret: (env) => env.CRM }),
    githubWebhook({ name: 'rotated', agent: 'support', secret: (env) => [env.NEW, env.OLD] }),
    defineWebhook({
      name: 'own',
      agent: 'support',
      verify: () => verified('1', 7),
      start: () => ignored('no'),
    }),
  ],
});

// The verifier determines the payload, and the name is a literal.
const own = defineWebhook({
  name: 'own',
  agent: 'support',
  verify(delivery) {
    expectTypeOf(delivery).toEqualTypeOf<RawDelivery>();
    return delivery.body.byteLength === 0 ? reply({ ok: true }) : verified('1', { name: 'Ada' });
  },
  start(delivery) {
    expectTypeOf(delivery).toEqualTypeOf<Delivery<{ name: string }>>();
    return { session: 's', message: delivery.payload.name };
  },
});
expectTypeOf(own).toEqualTypeOf<Webhook<'own'>>();

const verify = () => verified('1', 1);

// Requests that are checked before the body is read have no body.
defineWebhook({
  name: 'own',
  agent: 'a',
  admit(request) {
    expectTypeOf(request).toEqualTypeOf<UnverifiedRequest>();
    // @ts-expect-error: a secret is a name or a function of the environment
    githubWebhook({ agent: 'triage', secret: 7 });

    // @ts-expect-error the body is not read yet
    request.body;
  },
  verify,
  start: () => ignored('no'),
});

// If the webhook has no agent, each turn must name one.
defineWebhook({ name: 'own', verify, start: () => ({ agent: 'a', session: 's', message: 'm' }) });

// @ts-expect-error the agent is missing
defineWebhook({ name: 'own', verify, start: () => ({ session: 's', message: 'm' }) });

// @ts-expect-error the session is missing
defineWebhook({ name: 'own', agent: 'a', verify, start: () => ({ message: 'm' }) });

// @ts-expect-error a verifier does not return a boolean
defineWebhook({ name: 'own', agent: 'a', verify: () => false, start: () => ignored('no') });

// A mapping receives the listed events, by their names without the actions.
githubWebhook({
  agent: 'triage',
  secret: 'S',
  events: ['issues', 'issue_comment.created'],
  start(delivery) {
    expectTypeOf(delivery).toEqualTypeOf<GithubDelivery<'issues' | 'issue_comment'>>();
    expectTypeOf(delivery.event).toEqualTypeOf<'issues' | 'issue_comment'>();
    expectTypeOf(delivery.number).toEqualTypeOf<number | undefined>();
    expectTypeOf(delivery.payload).toEqualTypeOf<JsonObject>();
    expectTypeOf(delivery.usual).toEqualTypeOf<WebhookTurn>();
    return delivery.action === 'opened'
      ? { ...delivery.usual, owner: { tenant: 'acme' } }
      : ignored('not new');
  },
});

// Without `events`, a mapping receives events of any name.
githubWebhook({
  agent: 'triage',
  secret: 'S',
  start({ event, usual }) {
    expectTypeOf(event).toEqualTypeOf<string>();
    return usual;
  },
});

stripeWebhook({
  agent: 'billing',
  secret: 'S',
  events: ['invoice.paid', 'invoice.voided'],
  async start({ event, object, customer, usual }) {
    expectTypeOf(event).toEqualTypeOf<'invoice.paid' | 'invoice.voided'>();
    expectTypeOf(object).toEqualTypeOf<JsonObject | undefined>();
    expectTypeOf(customer).toEqualTypeOf<string | undefined>();
    return usual;
  },
});

slackWebhook({
  agent: 'helper',
  secret: 'S',
  events: ['app_mention', '/deploy'],
  start({ event, kind, usual }) {
    expectTypeOf(event).toEqualTypeOf<'app_mention' | '/deploy'>();
    expectTypeOf(kind).toEqualTypeOf<'event' | 'command' | 'interaction'>();
    return usual;
  },
});

standardWebhook({
  agent: 'sales',
  secret: 'S',
  events: ['contact.created'],
  start({ event, data, usual }) {
    expectTypeOf(event).toEqualTypeOf<'contact.created'>();
    expectTypeOf(data).toEqualTypeOf<Json | undefined>();
    return usual;
  },
});

// @ts-expect-error the agent is missing
githubWebhook({ secret: 'S' });

// @ts-expect-error the secret is missing
githubWebhook({ agent: 'triage' });

// @ts-expect-error the context is JSON
stripeWebhook({ agent: 'a', secret: 'S', start: ({ usual }) => ({ ...usual, context: { at: new Date() } }) });

// @ts-expect-error a webhook is made by a function
createHoldfast({ agents: [support], use: [{ name: 'github' }] });

// Optional properties accept undefined.
githubWebhook({
  agent: 'triage',
  secret: 'S',
  name: undefined,
  owner: undefined,
  events: undefined,
  start: undefined,
  maxBodyBytes: undefined,
  whenBusy: undefined,
  bots: undefined,
  dispatches: undefined,
});

// @ts-expect-error there is no such setting
githubWebhook({ agent: 'triage', secret: 'S', dispatches: 'never' });
defineWebhook({
  name: 'own',
  agent: 'a',
  owner: undefined,
  namespace: undefined,
  admit: undefined,
  maxBodyBytes: undefined,
  whenBusy: undefined,
  verify: () => verified('1', 1, undefined),
  start: () => ({
    session: 's',
    message: 'm',
    agent: undefined,
    owner: undefined,
    context: undefined,
    key: undefined,
  }),
});
