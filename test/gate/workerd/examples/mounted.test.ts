/** The Workers of docs/mounting.md and docs/schedules.md. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import mounted from '../../../../src/examples/mounted/worker.ts';
import nightly from '../../../../src/examples/nightly/worker.ts';
import { checkResponses } from '../http/as-described.ts';
import { ORIGIN, post, readJson, type Send } from '../http/client.ts';

/** The namespace methods that the example uses. */
const ORDERS = { get: async (number: string) => (number === 'A-17' ? 'Sent on Monday.' : null) };
const vars = { ...env, ORDERS: ORDERS as unknown as KVNamespace, MODEL: 'offline' };

const via: Send = checkResponses(
  async (path, init) => {
    const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return mounted.fetch(request, vars, createExecutionContext());
  },
  { base: '/ai' },
);

it('a custom app serves the agents below its own path, and their tools read its bindings', async () => {
  expect(await (await via('/')).text()).toBe('The shop.');
  const { agents } = await readJson(await via('/ai'));
  expect(agents).toBe('/ai/agents');
  const session = `/ai/agents/clerk/sessions/s-${crypto.randomUUID()}`;
  const response = await post(session, { message: 'Find the order of number "A-17".' }, { via });
  expect((await readJson(response)).text).toContain('Sent on Monday.');
  expect((await via(response.headers.get('content-location') ?? '')).status).toBe(200);
});

it('a schedule without an owner starts a turn for the callers of the built-in authentication', async () => {
  const scheduledTime = Date.parse('2027-01-31T06:00:00Z');
  const time = { cron: '0 6 * * *', scheduledTime, type: 'scheduled', noRetry: () => {} } as const;
  await nightly.scheduled(time, { ...env, MODEL: 'offline' }, createExecutionContext());
  const path = '/agents/reporter/sessions/report-2027-01-31';
  const request = new Request(ORIGIN + path) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  const state = await nightly.fetch(request, { ...env, MODEL: 'offline' }, createExecutionContext());
  expect(await readJson(state)).toMatchObject({ messages: [{ role: 'user', text: 'Report on yesterday.' }] });
});
