import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import { rateLimit } from '../../../../../src/modules/http/entry.ts';
import { githubWebhook } from '../../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../../fixtures/arrive.ts';
import { registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { createSessionPath, readJson, type Send } from '../../http/client.ts';
import { deliver, signIssue } from '../../http/hook-deliveries.ts';
import { createEndpointApp, createRpcRequest, createSessionId, postMcp } from '../../mcp/server/talk.ts';

const RATE_LIMIT_PROBLEM = {
  type: 'urn:holdfast:problem:rate-limited',
  title: 'rate limited',
  status: 429,
  detail: 'Too many messages were sent to sessions of this owner. Send the message again later.',
};

/** A RATE_LIMIT binding that records its keys and returns this result. */
function createLimiter(success: boolean | Error): { readonly keys: string[]; readonly limit: unknown } {
  const keys: string[] = [];
  const limitKey = async ({ key }: { readonly key: string }) => {
    keys.push(key);
    if (success instanceof Error) throw success;
    return { success };
  };
  return { keys, limit: limitKey };
}

const createApp = (caller: Caller, vars: Readonly<Record<string, unknown>>): Send =>
  createTestApp({ auth: () => caller, use: [rateLimit()] }, vars);

const postMessage = (via: Send, session = createSessionPath()): Promise<Response> =>
  via(`${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ message: registerScript('Done.').message() }),
  });

describe('rateLimit', () => {
  it('returns 429 with Retry-After beyond the limit, and accepts messages of another owner', async () => {
    const RATE_LIMIT: unknown = Reflect.get(env, 'RATE_LIMIT_OF_TESTS');
    const via = createApp({ id: createSessionId(), tenant: createSessionId() }, { RATE_LIMIT });
    // The limit is three per minute, and a new minute can begin in between.
    const statuses: number[] = [];
    let last = await postMessage(via);
    while (last.status === 202 && statuses.length < 6) {
      statuses.push(last.status);
      await last.body?.cancel();
      last = await postMessage(via);
    }
    expect(statuses.length).toBeGreaterThanOrEqual(3);
    expect([last.status, last.headers.get('retry-after'), await readJson(last)]).toEqual([
      429,
      '10',
      RATE_LIMIT_PROBLEM,
    ]);
    const other = await postMessage(createApp({ id: createSessionId() }, { RATE_LIMIT }));
    expect(other.status).toBe(202);
  });
});

describe('the rate limit key', () => {
  it.each<[Caller, string]>([
    [{ id: 'ann', tenant: 'acme' }, 'tenant acme'],
    [{ id: 'acme' }, 'id acme'],
  ])('for the caller %j is "%s"', async (caller, key) => {
    const RATE_LIMIT = createLimiter(true);
    expect((await postMessage(createApp(caller, { RATE_LIMIT }))).status).toBe(202);
    expect(RATE_LIMIT.keys).toEqual([key]);
  });

  it('for a webhook is the owner of the session in which it starts a turn', async () => {
    const RATE_LIMIT = createLimiter(false);
    const webhook = githubWebhook({ agent: 'scripted', secret: 'SECRET', owner: { id: 'ada' } });
    const app = createTestApp({ use: [webhook, rateLimit()] }, { ...ENV, RATE_LIMIT });
    const response = await deliver(app, await signIssue());
    expect([response.status, response.headers.get('retry-after'), await readJson(response)]).toEqual([
      429,
      '10',
      RATE_LIMIT_PROBLEM,
    ]);
    expect(RATE_LIMIT.keys).toEqual(['id ada']);
  });

  it('for an MCP client is its caller', async () => {
    const RATE_LIMIT = createLimiter(false);
    const via = createEndpointApp(
      { agents: ['scripted'] },
      { auth: () => ({ id: 'ann' }), use: [rateLimit()] },
      { RATE_LIMIT },
    );
    const response = await postMcp(via, createRpcRequest('tools/list'));
    expect([response.status, await readJson(response)]).toEqual([429, RATE_LIMIT_PROBLEM]);
    expect(RATE_LIMIT.keys).toEqual(['id ann']);
  });
});

describe('a request that starts no turn', () => {
  it('is not counted: reading, cancelling, deciding, erasing, health', async () => {
    const RATE_LIMIT = createLimiter(true);
    const via = createApp({ id: createSessionId() }, { RATE_LIMIT });
    const session = createSessionPath();
    await (await postMessage(via, session)).text();
    const requests: readonly (readonly [string, string])[] = [
      ['GET', session],
      ['GET', `${session}/events`],
      ['POST', `${session}/cancel`],
      ['POST', `${session}/approvals/none`],
      ['POST', `${session}/results/none`],
      ['DELETE', session],
      ['GET', '/agents'],
      ['GET', '/health'],
    ];
    for (const [method, path] of requests) {
      const response = await via(path, { method, ...(method === 'POST' && { body: '{}' }) });
      await response.body?.cancel();
    }
    expect(RATE_LIMIT.keys).toHaveLength(1);
  });
});

describe('a failing RATE_LIMIT', () => {
  it('admits every request, and is logged once', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const RATE_LIMIT = createLimiter(new Error('the counter is down'));
    const via = createApp({ id: createSessionId() }, { RATE_LIMIT });
    expect([(await postMessage(via)).status, (await postMessage(via)).status]).toEqual([202, 202]);
    expect(log.mock.calls).toEqual([
      ['holdfast: RATE_LIMIT failed, so requests are let through: the counter is down'],
    ]);
    log.mockRestore();
  });

  it.each(['100', undefined])(
    'is reported as missing from the deployment if it is %j',
    async (RATE_LIMIT) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {});
      const via = createApp({ id: createSessionId() }, { RATE_LIMIT });
      const detail =
        '`rateLimit()` needs the rate-limit binding RATE_LIMIT. Bind one in wrangler.toml:\n\n' +
        '[[ratelimits]]\nname = "RATE_LIMIT"\nnamespace_id = "1"\nsimple = { limit = 60, period = 60 }';
      for (const response of [await postMessage(via), await via('/health')]) {
        expect([response.status, await readJson(response)]).toEqual([
          500,
          expect.objectContaining({ type: 'urn:holdfast:problem:misconfigured', detail }),
        ]);
      }
      log.mockRestore();
    },
  );
});

describe('an app without `rateLimit()`', () => {
  it('counts no requests, even with a RATE_LIMIT binding', async () => {
    const RATE_LIMIT = createLimiter(false);
    const via = createTestApp({ auth: () => ({ id: createSessionId() }) }, { RATE_LIMIT });
    expect((await postMessage(via)).status).toBe(202);
    expect(RATE_LIMIT.keys).toEqual([]);
  });
});
