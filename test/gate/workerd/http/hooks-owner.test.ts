import { describe, expect, it } from 'vitest';
import { bearerToken, type Caller, type Owner } from '../../../../src/create-holdfast.ts';
import { githubWebhook, type Webhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createTestApp } from './app.ts';
import { readJson } from './client.ts';
import { deliver, signIssue } from './hook-deliveries.ts';

const IDLE_AGENT = { ...scripted, name: 'agent' };
const createWebhook = (owner?: Owner, name?: string): Webhook =>
  githubWebhook({ agent: IDLE_AGENT.name, secret: 'SECRET', owner, name });

/** Returns the status that a caller gets at the address of a delivery's turn. */
async function readBack(
  config: Partial<Parameters<typeof createTestApp>[0]>,
  vars: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const app = createTestApp({ agents: [IDLE_AGENT], use: [createWebhook()], ...config }, { ...ENV, ...vars });
  const delivered = await deliver(app, await signIssue());
  expect(delivered.status).toBe(202);
  const read = await app(delivered.headers.get('location') ?? '', { headers });
  await read.body?.cancel();
  return read.status;
}

describe('the sessions of a webhook without an owner', () => {
  const authorization = 'Bearer abc';

  it('belong to the callers of the built-in authentication', async () => {
    expect([200, 202]).toContain(await readBack({}));
    expect([200, 202]).toContain(await readBack({}, { HOLDFAST_TOKEN: 'abc' }, { authorization }));
    expect([200, 202]).toContain(
      await readBack({ auth: bearerToken('MINE') }, { MINE: 'abc' }, { authorization }),
    );
  });

  it('have no owner if the environment admits no callers, and a signed delivery is refused', async () => {
    const app = createTestApp(
      { agents: [IDLE_AGENT], use: [createWebhook()] },
      { ...ENV, HOLDFAST_AUTH: undefined },
    );
    const response = await deliver(app, await signIssue());
    expect([response.status, (await readJson(response)).type]).toEqual([
      401,
      'urn:holdfast:problem:not-configured',
    ]);
  });

  it('belong to the owner that `auth` returns', async () => {
    const auth = Object.assign(() => ({ id: 'ada', tenant: 'acme' }), { owner: () => ({ tenant: 'acme' }) });
    expect([200, 202]).toContain(await readBack({ auth }));
    const other = Object.assign(() => ({ id: 'ada' }), { owner: () => ({ tenant: 'acme' }) });
    expect(await readBack({ auth: other })).toBe(404);
  });

  it('have no owner with a custom `auth`, which is reported when the Worker starts', () => {
    const auth = () => ({ id: 'github' });
    expect(() =>
      createTestApp({
        agents: [IDLE_AGENT],
        use: [createWebhook({ id: 'acme' }), createWebhook(undefined, 'other')],
        auth,
      }),
    ).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message:
          "Webhook 'other' has no owner, but the app has its own `auth`. Give the webhook `owner`: { tenant } or { id } of " +
          'the callers who may read its sessions.',
      }),
    );
    expect(createTestApp({ agents: [IDLE_AGENT], use: [createWebhook({ id: 'acme' })], auth })).toBeTypeOf(
      'function',
    );
  });

  it('belong to a tenant, and not to a user whose id equals the tenant’s name, and vice versa', async () => {
    const callers: Readonly<Record<string, Caller>> = {
      'id acme': { id: 'acme' },
      'tenant acme': { id: 'ada', tenant: 'acme' },
    };
    const auth = (request: Request) => callers[request.headers.get('x-user') ?? ''] ?? null;
    const readAs = (owner: Owner, user: string) =>
      readBack({ auth, use: [createWebhook(owner)] }, {}, { 'x-user': user });
    expect([200, 202]).toContain(await readAs({ tenant: 'acme' }, 'tenant acme'));
    expect(await readAs({ tenant: 'acme' }, 'id acme')).toBe(404);
    expect([200, 202]).toContain(await readAs({ id: 'acme' }, 'id acme'));
    expect(await readAs({ id: 'acme' }, 'tenant acme')).toBe(404);
  });

  it.each<[unknown, string]>([
    ['acme', 'is a string, which could be an id or a tenant'],
    [{}, 'is blank'],
    [{ id: 'a', tenant: 'b' }, 'has an id and a tenant'],
  ])('cannot have an owner such as %j, which the webhook’s definition refuses', (owner, problem) => {
    expect(() => createWebhook(owner as Owner)).toThrow(
      expect.objectContaining({
        name: 'WebhookDefinitionError',
        message:
          `Webhook 'github' needs another owner, since its owner ${problem}. Use { tenant } for the sessions of all callers of a ` +
          'tenant, or { id } for those of one caller.',
      }),
    );
  });

  it('do not belong to a user with the webhook’s name', async () => {
    const auth = (request: Request) => ({ id: request.headers.get('x-user') ?? 'nobody' });
    const readAs = (user: string) =>
      readBack({ auth, use: [createWebhook({ id: 'acme' })] }, {}, { 'x-user': user });
    expect(await readAs('github')).toBe(404);
    expect([200, 202]).toContain(await readAs('acme'));
  });
});
