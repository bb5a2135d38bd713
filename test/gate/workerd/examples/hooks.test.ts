/** The Worker of docs/webhooks.md. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import worker from '../../../../src/examples/hooks/worker.ts';
import { SECRET, signAsGithub } from '../../../fixtures/signed.ts';
import { checkResponses } from '../http/as-described.ts';
import { ORIGIN, readJson, type Send } from '../http/client.ts';

const send: Send = checkResponses(async (path, init) => {
  const request = new Request(`${ORIGIN}${path}`, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(request, { ...env, GITHUB_WEBHOOK_SECRET: SECRET }, createExecutionContext());
});

const createDelivery = (body: object, secret = SECRET) =>
  signAsGithub('issues', { secret, body: JSON.stringify(body) });

const repository = { full_name: `acme/${crypto.randomUUID()}` };
const openedPayload = { action: 'opened', issue: { number: 42, title: 'The shop is closed' }, repository };

it('a signed delivery starts a turn whose answer the caller of the Worker can read', async () => {
  const taken = await send('/hooks/github', { method: 'POST', ...(await createDelivery(openedPayload)) });
  expect(taken.status).toBe(202);
  const { session, turn } = await readJson(taken);
  expect(session).toBe(`${repository.full_name.replace('/', ':')}:42`);
  const address = taken.headers.get('location') ?? '';
  const read = await send(address);
  expect([200, 202]).toContain(read.status);
  expect(await readJson(read)).toMatchObject({ turn, agent: 'triage' });
});

it('a delivery with another signature starts no turn', async () => {
  const refused = await send('/hooks/github', {
    method: 'POST',
    ...(await createDelivery(openedPayload, 'another secret')),
  });
  expect(refused.status).toBe(401);
});
