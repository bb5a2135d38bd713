import { describe, expect, it } from 'vitest';
import {
  githubWebhook,
  slackWebhook,
  standardWebhook,
  stripeWebhook,
} from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import {
  fromGithub,
  fromSlack,
  fromStandard,
  fromStripe,
  SECRET,
  type SignedRequest,
  STANDARD_SECRET,
} from '../../../fixtures/signed.ts';
import { appWith } from './app.ts';
import { json } from './client.ts';
import { config, deliver, expectProblem, issueBody, NOT_SIGNED, signedIssue } from './hook-deliveries.ts';

describe('a delivery of each sender', () => {
  const agent = 'scripted';
  const use = [
    githubWebhook({ agent, secret: 'SECRET' }),
    stripeWebhook({ agent, secret: 'SECRET' }),
    slackWebhook({ agent, secret: 'SECRET' }),
    standardWebhook({ agent, secret: 'STANDARD_SECRET' }),
  ];
  const app = appWith({ use }, ENV);
  const stripeBody = () => JSON.stringify({ id: `evt_${crypto.randomUUID()}`, type: 'invoice.paid' });
  const slackBody = () =>
    JSON.stringify({
      type: 'event_callback',
      team_id: crypto.randomUUID(),
      event: { type: 'app_mention', text: 'Hi', channel: 'C', ts: '1.2' },
    });

  it.each<[string, (secret?: string, time?: number) => Promise<SignedRequest>]>([
    ['github', (secret = SECRET) => fromGithub('issues', { secret, body: issueBody() })],
    ['stripe', (secret = SECRET, time) => fromStripe({ secret, body: stripeBody(), ...(time && { time }) })],
    ['slack', (secret = SECRET, time) => fromSlack({ secret, body: slackBody(), ...(time && { time }) })],
    [
      'standard',
      async (secret = STANDARD_SECRET, time) =>
        fromStandard(crypto.randomUUID(), { secret, body: '{"type":"a.b"}', ...(time && { time }) }),
    ],
  ])(
    '%s is accepted, recognized, and refused if it is tampered with, forged or stale',
    async (hook, sign) => {
      const path = `/hooks/${hook}`;
      const signed = await sign();
      const first = await deliver(app, signed, path);
      expect([first.status, await json(first)]).toMatchObject([202, { hook, status: 'accepted' }]);
      expect((await json(await deliver(app, signed, path))).status).toBe('known');
      await expectProblem(await deliver(app, { ...signed, body: `${signed.body} ` }, path), NOT_SIGNED);
      await expectProblem(
        await deliver(app, await sign('whsec_b3RoZXIgc2VjcmV0IHRoYW4gdGhhdA=='), path),
        NOT_SIGNED,
      );
      const unsigned = await deliver(app, { headers: {}, body: signed.body }, path);
      expect([unsigned.status, await json(unsigned)]).toMatchObject([
        401,
        { type: 'urn:holdfast:problem:invalid-signature' },
      ]);
      if (hook === 'github') return;
      const stale = await deliver(app, await sign(undefined, Math.floor(Date.now() / 1000) - 400), path);
      expect(await json(stale)).toMatchObject({
        status: 401,
        detail: expect.stringMatching(/^The delivery was signed 4\d\d s ago by/),
      });
    },
  );

  it('from Slack gets its challenge back, and commands and buttons get an empty 200', async () => {
    const question = JSON.stringify({ type: 'url_verification', challenge: '3eZbrw1a' });
    const asked = await deliver(app, await fromSlack({ secret: SECRET, body: question }), '/hooks/slack');
    expect([asked.status, await json(asked)]).toEqual([200, { challenge: '3eZbrw1a' }]);
    await expectProblem(
      await deliver(app, await fromSlack({ secret: 'another', body: question }), '/hooks/slack'),
      NOT_SIGNED,
    );
    const body = `command=%2Fdeploy&text=shop&team_id=${crypto.randomUUID()}&trigger_id=1`;
    const command = await deliver(app, await fromSlack({ secret: SECRET, body }), '/hooks/slack');
    expect([command.status, await command.text()]).toEqual([200, '']);
    expect(command.headers.get('location')).toMatch(/\/turns\/[0-9a-f]{16}$/);
  });

  it('from GitHub gets a response to its ping, and no turn starts', async () => {
    const body = JSON.stringify({ zen: 'Design for failure.', hook_id: 1 });
    const response = await deliver(app, await fromGithub('ping', { secret: SECRET, body }));
    expect([response.status, await json(response)]).toEqual([200, { hook: 'github', status: 'pong' }]);
  });

  it('that the webhook ignores returns 200', async () => {
    const only = appWith({ use: [githubWebhook({ ...config, events: ['push'] })] }, ENV);
    const response = await deliver(only, await signedIssue());
    const reason = "This webhook ignores 'issues.opened'.";
    expect([response.status, await json(response)]).toEqual([
      200,
      { hook: 'github', status: 'ignored', reason },
    ]);
  });
});
