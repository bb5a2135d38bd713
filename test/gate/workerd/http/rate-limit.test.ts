import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../src/create-holdfast.ts';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { script } from '../../../fixtures/scripts.ts';
import { newId, postMcp, publishing, rpc } from '../mcp/server/talk.ts';
import { appWith } from './app.ts';
import { json, newSession, type Send } from './client.ts';
import { deliver, signedIssue } from './hook-deliveries.ts';

const PROBLEM = {
  type: 'urn:holdfast:problem:rate-limited',
  title: 'rate limited',
  status: 429,
  detail: 'Too many messages have come for sessions of this owner lately. Send the message again in a while.',
};

/** What is bound as RATE_LIMIT, which remembers what it was asked and answers that. */
function limiter(success: boolean | Error): { readonly keys: string[]; readonly limit: unknown } {
  const keys: string[] = [];
  const limit = async ({ key }: { readonly key: string }) => {
    keys.push(key);
    if (success instanceof Error) throw success;
    return { success };
  };
  return { keys, limit };
}

const appOf = (caller: Caller, vars: Readonly<Record<string, unknown>>): Send =>
  appWith({ auth: () => caller }, vars);

const message = (via: Send, session = newSession()): Promise<Response> =>
  via(`${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ message: script('Done.').message() }),
  });

describe('with the platform’s RATE_LIMIT bound', () => {
  it('messages beyond it are 429 with Retry-After, and those of another owner are taken', async () => {
    const RATE_LIMIT: unknown = Reflect.get(env, 'RATE_LIMIT_OF_TESTS');
    const via = appOf({ id: newId(), tenant: newId() }, { RATE_LIMIT });
    // Three a minute, and a minute may have begun in between.
    const statuses: number[] = [];
    let last = await message(via);
    while (last.status === 202 && statuses.length < 6) {
      statuses.push(last.status);
      await last.body?.cancel();
      last = await message(via);
    }
    expect(statuses.length).toBeGreaterThanOrEqual(3);
    expect([last.status, last.headers.get('retry-after'), await json(last)]).toEqual([429, '10', PROBLEM]);
    const other = await message(appOf({ id: newId() }, { RATE_LIMIT }));
    expect(other.status).toBe(202);
  });
});

describe('the key', () => {
  it.each<[Caller, string]>([
    [{ id: 'ann', tenant: 'acme' }, 'tenant acme'],
    [{ id: 'acme' }, 'id acme'],
  ])('of %j is %j', async (caller, key) => {
    const RATE_LIMIT = limiter(true);
    expect((await message(appOf(caller, { RATE_LIMIT }))).status).toBe(202);
    expect(RATE_LIMIT.keys).toEqual([key]);
  });

  it('of a webhook is that of whose session it starts a turn in', async () => {
    const RATE_LIMIT = limiter(false);
    const webhook = githubWebhook({ agent: 'scripted', secret: 'SECRET', owner: { id: 'ada' } });
    const app = appWith({ use: [webhook] }, { ...ENV, RATE_LIMIT });
    const response = await deliver(app, await signedIssue());
    expect([response.status, response.headers.get('retry-after'), await json(response)]).toEqual([
      429,
      '10',
      PROBLEM,
    ]);
    expect(RATE_LIMIT.keys).toEqual(['id ada']);
  });

  it('of a client of MCP is the caller’s', async () => {
    const RATE_LIMIT = limiter(false);
    const via = publishing({ agents: ['scripted'] }, { auth: () => ({ id: 'ann' }) }, { RATE_LIMIT });
    const response = await postMcp(via, rpc('tools/list'));
    expect([response.status, await json(response)]).toEqual([429, PROBLEM]);
    expect(RATE_LIMIT.keys).toEqual(['id ann']);
  });
});

describe('what starts no turn', () => {
  it('is not counted: reading, cancelling, deciding, erasing, health', async () => {
    const RATE_LIMIT = limiter(true);
    const via = appOf({ id: newId() }, { RATE_LIMIT });
    const session = newSession();
    await (await message(via, session)).text();
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

describe('a RATE_LIMIT that fails', () => {
  it('keeps nobody out, and the console is told once', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const RATE_LIMIT = limiter(new Error('the counter is down'));
    const via = appOf({ id: newId() }, { RATE_LIMIT });
    expect([(await message(via)).status, (await message(via)).status]).toEqual([202, 202]);
    expect(log.mock.calls).toEqual([
      [
        'holdfast: RATE_LIMIT could not be asked, and what it would count is let through: the counter is down',
      ],
    ]);
    log.mockRestore();
  });

  it('because it is none is told like all that a deployment lacks', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const via = appOf({ id: newId() }, { RATE_LIMIT: '100' });
    const detail =
      'RATE_LIMIT of this Worker is no rate-limit binding. Bind one in wrangler.toml, or call it by another name:\n\n' +
      '[[ratelimits]]\nname = "RATE_LIMIT"\nnamespace_id = "1"\nsimple = { limit = 60, period = 60 }';
    for (const response of [await message(via), await via('/health')]) {
      expect([response.status, await json(response)]).toEqual([
        500,
        expect.objectContaining({ type: 'urn:holdfast:problem:misconfigured', detail }),
      ]);
    }
    log.mockRestore();
  });
});
