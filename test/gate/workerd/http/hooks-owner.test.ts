import { describe, expect, it } from 'vitest';
import { bearerToken } from '../../../../src/create-holdfast.ts';
import { githubWebhook, type Webhook } from '../../../../src/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { appWith } from './app.ts';
import { json } from './client.ts';
import { deliver, signedIssue } from './hook-deliveries.ts';

const IDLE = { ...scripted, name: 'agent' };
const webhook = (owner?: string): Webhook => githubWebhook({ agent: IDLE.name, secret: 'SECRET', owner });

/** What a caller gets at the address that a delivery is answered with. */
async function readBack(
  config: Partial<Parameters<typeof appWith>[0]>,
  vars: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const app = appWith({ agents: [IDLE], webhooks: [webhook()], ...config }, { ...ENV, ...vars });
  const delivered = await deliver(app, await signedIssue());
  expect(delivered.status).toBe(202);
  const read = await app(delivered.headers.get('location') ?? '', { headers });
  await read.body?.cancel();
  return read.status;
}

describe('the sessions of a webhook without an owner', () => {
  const authorization = 'Bearer abc';

  it('are those of the callers of the built-in authentication', async () => {
    expect([200, 202]).toContain(await readBack({}));
    expect([200, 202]).toContain(await readBack({}, { HOLDFAST_TOKEN: 'abc' }, { authorization }));
    expect([200, 202]).toContain(
      await readBack({ auth: bearerToken('MINE') }, { MINE: 'abc' }, { authorization }),
    );
  });

  it('are nobody’s where nobody may come in: a signed delivery is refused', async () => {
    const app = appWith({ agents: [IDLE], webhooks: [webhook()] }, { ...ENV, HOLDFAST_AUTH: undefined });
    const response = await deliver(app, await signedIssue());
    expect([response.status, (await json(response)).type]).toEqual([
      401,
      'urn:holdfast:problem:not-configured',
    ]);
  });

  it('are whose an app’s `auth` says', async () => {
    const auth = Object.assign(() => ({ id: 'ada', tenant: 'acme' }), { owner: () => 'acme' });
    expect([200, 202]).toContain(await readBack({ auth }));
    const other = Object.assign(() => ({ id: 'ada' }), { owner: () => 'acme' });
    expect(await readBack({ auth: other })).toBe(404);
  });

  it('are nobody’s with another `auth`, which is found out when the Worker starts', () => {
    const auth = () => ({ id: 'github' });
    expect(() =>
      appWith({ agents: [IDLE], webhooks: [webhook('acme'), { ...webhook(), name: 'other' }], auth }),
    ).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message:
          "Webhook 'other' has no owner, and the app has an `auth` of its own. Give the webhook `owner`: the tenant, or else " +
          'the id, of the callers who may read its sessions.',
      }),
    );
    expect(appWith({ agents: [IDLE], webhooks: [webhook('acme')], auth })).toBeTypeOf('function');
  });

  it('are not those of a user who is called like the webhook', async () => {
    const auth = (request: Request) => ({ id: request.headers.get('x-user') ?? 'nobody' });
    const reads = (user: string) => readBack({ auth, webhooks: [webhook('acme')] }, {}, { 'x-user': user });
    expect(await reads('github')).toBe(404);
    expect([200, 202]).toContain(await reads('acme'));
  });
});
