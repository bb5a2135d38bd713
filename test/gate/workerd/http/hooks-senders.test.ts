import { describe, expect, it } from 'vitest';
import {
  githubWebhook,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
} from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import {
  SECRET,
  type SignedRequest,
  STANDARD_SECRET,
  signAsGithub,
  signAsSlack,
  signAsStandard,
  signAsStripe,
} from '../../../fixtures/signed.ts';
import { createTestApp } from './app.ts';
import { readJson } from './client.ts';
import {
  config,
  createIssueBody,
  deliver,
  expectProblem,
  signIssue,
  UNSIGNED_PROBLEM,
} from './hook-deliveries.ts';

describe('a delivery of each sender', () => {
  const agent = 'scripted';
  const use = [
    githubWebhook({ agent, secret: 'SECRET' }),
    stripeWebhook({ agent, secret: 'SECRET' }),
    slackWebhook({ agent, secret: 'SECRET' }),
    standardWebhook({ agent, secret: 'STANDARD_SECRET' }),
  ];
  const app = createTestApp({ use }, ENV);
  const createStripeBody = () => JSON.stringify({ id: `evt_${crypto.randomUUID()}`, type: 'invoice.paid' });
  const createSlackBody = () =>
    JSON.stringify({
      type: 'event_callback',
      team_id: crypto.randomUUID(),
      event: { type: 'app_mention', text: 'Hi', channel: 'C', ts: '1.2' },
    });

  it.each<[string, (secret?: string, time?: number) => Promise<SignedRequest>]>([
    ['github', (secret = SECRET) => signAsGithub('issues', { secret, body: createIssueBody() })],
    [
      'stripe',
      (secret = SECRET, time) => signAsStripe({ secret, body: createStripeBody(), ...(time && { time }) }),
    ],
    [
      'slack',
      (secret = SECRET, time) => signAsSlack({ secret, body: createSlackBody(), ...(time && { time }) }),
    ],
    [
      'standard',
      async (secret = STANDARD_SECRET, time) =>
        signAsStandard(crypto.randomUUID(), { secret, body: '{"type":"a.b"}', ...(time && { time }) }),
    ],
  ])(
    '%s is accepted, recognized if repeated, and refused if tampered with, forged or stale',
    async (hook, sign) => {
      const path = `/hooks/${hook}`;
      const signed = await sign();
      const first = await deliver(app, signed, path);
      expect([first.status, await readJson(first)]).toMatchObject([202, { hook, status: 'accepted' }]);
      expect((await readJson(await deliver(app, signed, path))).status).toBe('known');
      await expectProblem(await deliver(app, { ...signed, body: `${signed.body} ` }, path), UNSIGNED_PROBLEM);
      await expectProblem(
        await deliver(app, await sign('whsec_b3RoZXIgc2VjcmV0IHRoYW4gdGhhdA=='), path),
        UNSIGNED_PROBLEM,
      );
      const unsigned = await deliver(app, { headers: {}, body: signed.body }, path);
      expect([unsigned.status, await readJson(unsigned)]).toMatchObject([
        401,
        { type: 'urn:holdfast:problem:invalid-signature' },
      ]);
      if (hook === 'github') return;
      const stale = await deliver(app, await sign(undefined, Math.floor(Date.now() / 1000) - 400), path);
      expect(await readJson(stale)).toMatchObject({
        status: 401,
        detail: expect.stringMatching(/^The delivery was signed 4\d\d s ago by/),
      });
    },
  );

  it('receives its challenge back if it is from Slack, and commands and buttons receive an empty 200', async () => {
    const question = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1a' });
    const asked = await deliver(app, await signAsSlack({ secret: SECRET, body: question }), '/hooks/slack');
    expect([asked.status, await readJson(asked)]).toEqual([200, { challenge: '3eZbrw1a' }]);
    await expectProblem(
      await deliver(app, await signAsSlack({ secret: 'another', body: question }), '/hooks/slack'),
      UNSIGNED_PROBLEM,
    );
    const body = `command=%2Fdeploy&text=shop&team_id=${crypto.randomUUID()}&trigger_id=1`;
    const command = await deliver(app, await signAsSlack({ secret: SECRET, body }), '/hooks/slack');
    expect([command.status, await command.text()]).toEqual([200, '']);
    expect(command.headers.get('location')).toMatch(/\/turns\/[0-9a-f]{16}$/);
  });

  it('receives a response to its ping if it is from GitHub, and no turn starts', async () => {
    const body = JSON.stringify({ zen: 'Design for failure.', hook_id: 1 });
    const response = await deliver(app, await signAsGithub('ping', { secret: SECRET, body }));
    expect([response.status, await readJson(response)]).toEqual([200, { hook: 'github', status: 'pong' }]);
  });

  it('returns 200 if the webhook ignores it', async () => {
    const only = createTestApp({ use: [githubWebhook({ ...config, events: ['push'] })] }, ENV);
    const response = await deliver(only, await signIssue());
    const reason = "This webhook ignores 'issues.opened'.";
    expect([response.status, await readJson(response)]).toEqual([
      200,
      { hook: 'github', status: 'ignored', reason },
    ]);
  });
});
