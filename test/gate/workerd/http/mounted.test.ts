/** The app mounted below another app's or a site's path: every link of every response works. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { mount } from 'hono/mount';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineMcpEndpoint } from '../../../../src/mcp/server/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { defineWebhook } from '../../../../src/modules/webhooks/entry.ts';
import { scriptedModel } from '../../../../src/testing/entry.ts';
import { callTool, IDEMPOTENCY_META } from '../mcp/server/talk.ts';
import { requestResult, startTask } from '../mcp/server/task-talk.ts';
import { checkResponses } from './as-described.ts';
import { ORIGIN, readAllEvents, readJson, type Send, SSE_HEADERS } from './client.ts';

const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' });
const clerk = defineAgent({
  name: 'clerk',
  description: 'Pays when it may.',
  instructions: '',
  tools: [requireApproval(pay, 'May I?')],
  // Each turn of this agent pays once.
  model: {
    name: 'scripted',
    ask: (request, options) =>
      scriptedModel([request.messages.at(-1)?.role === 'tool' ? 'Done.' : { calls: [{ name: 'pay' }] }]).ask(
        request,
        options,
      ),
  },
});
const shop = defineWebhook({
  name: 'shop',
  agent: 'clerk',
  verify: () => ({ type: 'verified', id: crypto.randomUUID(), payload: null }),
  start: () => ({ session: crypto.randomUUID(), message: 'Pay.' }),
});

const createMountedApp = (config: Partial<HoldfastConfig> = {}) =>
  createHoldfast({
    agents: [clerk],
    use: [shop, defineMcpEndpoint({ agents: [clerk] }), openApi()],
    ...config,
  });

type FetchFunction = (request: Request, vars: object, ctx: ExecutionContext) => Response | Promise<Response>;
const sendThrough = (fetch: FetchFunction, base = ''): Send =>
  checkResponses(
    async (path, init) => fetch(new Request(ORIGIN + path, init), { ...env }, createExecutionContext()),
    { base },
  );

/** The ways to mount the app, each with the resulting base path. */
const PLACES: readonly (readonly [how: string, base: string, fetch: () => FetchFunction])[] = [
  ['by itself', '', () => createMountedApp().worker.fetch as FetchFunction],
  ['by app.route, without a setting', '/ai', () => new Hono().route('/ai', createMountedApp().routes).fetch],
  [
    'by app.route below a name',
    '/acme/ai',
    () => new Hono().route('/:team/ai', createMountedApp().routes).fetch,
  ],
  [
    'by app.route inside another app.route',
    '/api/ai',
    () => new Hono().route('/api', new Hono().route('/ai', createMountedApp().routes)).fetch,
  ],
  [
    'by app.route, with its basePath',
    '/ai',
    () => new Hono().route('/ai', createMountedApp({ http: { basePath: '/ai' } }).routes).fetch,
  ],
  [
    'by mount, with its basePath',
    '/ai',
    () => new Hono().all('/ai/*', mount(createMountedApp({ http: { basePath: '/ai' } }).routes.fetch)).fetch,
  ],
  [
    'by its own basePath',
    '/ai',
    () => createMountedApp({ http: { basePath: '/ai' } }).worker.fetch as FetchFunction,
  ],
  [
    'by mount with the full path, with its basePath',
    '/ai/agents',
    () =>
      new Hono().all(
        '/ai/agents/*',
        mount(createMountedApp({ http: { basePath: '/ai/agents' } }).worker.fetch as FetchFunction, {
          replaceRequest: false,
        }),
      ).fetch,
  ],
];

/** Returns every path in a value, including paths within text such as "GET /agents lists the agents". */
function collectPaths(value: unknown): string[] {
  if (typeof value === 'string')
    return value.startsWith('/')
      ? [value]
      : Array.from(value.matchAll(/\b(?:GET|POST) (\/\S*?)[.]?(?=[\s)]|$)/g), ([, path = '']) => path);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectPaths) : [];
}

const collectLinks = (response: Response, body: unknown): string[] => [
  ...['location', 'content-location'].flatMap((name) => response.headers.get(name) ?? []),
  ...collectPaths(body),
];

const POST_INIT = { method: 'POST', headers: { 'content-type': 'application/json' } };

describe.each(PLACES)('an app that is served %s', (_how, base, fetchOf) => {
  const via = sendThrough(fetchOf(), base);
  const met: string[] = [];
  /** Sends a request, records the links of its response, and returns the body. */
  async function askJson(path: string, init?: RequestInit): Promise<Record<string, unknown>> {
    const response = await via(path, init);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    const body = await readJson(response);
    met.push(...collectLinks(response, body));
    return body;
  }
  const postJson = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    askJson(path, {
      ...POST_INIT,
      headers: { ...POST_INIT.headers, ...headers },
      body: JSON.stringify(body),
    });

  it('has only working links', async () => {
    const root = await askJson(base === '' ? '/' : base);
    expect(root).toEqual({
      name: 'holdfast',
      agents: `${base}/agents`,
      openapi: `${base}/openapi.json`,
      mcp: `${base}/mcp`,
    });
    const session = `${base}/agents/clerk/sessions/s-${crypto.randomUUID()}`;
    expect(await askJson(session)).toMatchObject({ status: 404 });
    const waits = await postJson(`${session}/messages`, { message: 'Pay.' });
    expect(waits).toMatchObject({ status: 'suspended' });
    expect(await postJson(`${session}/messages`, { message: 'Pay.' })).toMatchObject({ status: 409 });
    await postJson(`${session}/messages?whenBusy=queue`, { message: 'Pay.' }, { prefer: 'respond-async' });
    await askJson(session);
    const { next } = await askJson(`${session}/events?limit=1`);
    expect(next).toBe(`${session}/events?after=1&limit=1`);
    const stream = await via(`${session}/messages`, {
      ...POST_INIT,
      headers: { ...POST_INIT.headers, ...SSE_HEADERS },
      body: '{}',
    });
    met.push(...collectPaths(await readJson(stream)));
    const [{ links }] = Object(waits.pending);
    expect(await postJson(links.approvals, { decision: 'approve' })).toMatchObject({ outcome: 'completed' });
    expect(await postJson(links.approvals, { decision: 'approve' })).toMatchObject({ status: 409 });
    await postJson(`${base}/hooks/shop`, {});
    await askJson(`${base}/agents/nobody/sessions/s1`);
    await askJson(`${base}/agents/clerk/sessions/s1`);
    expect(met.length).toBeGreaterThan(14);
    for (const link of new Set(met)) {
      expect(link.startsWith(`${base}/`)).toBe(true);
      const { status } = await via(link);
      // The link exists or accepts only POST.
      expect([link, [200, 202, 405].includes(status) || link.endsWith('/messages')]).toEqual([link, true]);
    }
  });

  it('streams working links', async () => {
    const session = `${base}/agents/clerk/sessions/s-${crypto.randomUUID()}`;
    const headers = { ...POST_INIT.headers, ...SSE_HEADERS };
    const events = await readAllEvents(
      await via(`${session}/messages`, { ...POST_INIT, headers, body: '{"message":"Pay."}' }),
    );
    const [link = ''] = collectPaths(events.at(-1)?.data);
    expect([events.at(-1)?.event, link.startsWith(`${session}/approvals/`)]).toEqual(['suspended', true]);
    expect((await via(link)).status).toBe(405);
  });

  it('describes its paths as they are mounted', async () => {
    const { servers, paths } = await askJson(`${base}/openapi.json`);
    expect(servers).toEqual([{ url: base || '/' }]);
    for (const path of Object.keys(Object(paths)).filter((one) => !one.includes('{'))) {
      const { status } = await via(base + (base === '' || path !== '/' ? path : ''));
      expect([path, status]).toEqual([path, path === '/mcp' ? 405 : 200]);
    }
  });

  it('authenticates callers, and refuses pages of other sites', async () => {
    const closed = sendThrough(
      (request, _vars, ctx) => fetchOf()(request, { ...env, HOLDFAST_TOKEN: 'a-token' }, ctx),
      base,
    );
    expect((await closed(`${base}/agents`)).status).toBe(401);
    expect((await closed(`${base}/health`)).status).toBe(200);
    const foreign = {
      ...POST_INIT,
      headers: { ...POST_INIT.headers, origin: 'https://evil.example' },
      body: '{}',
    };
    const refused = await via(`${base}/agents/clerk/sessions/s1/messages`, foreign);
    expect([refused.status, refused.headers.get('cache-control')]).toEqual([403, 'no-store']);
    const wrong = await via(`${base}/agents`, POST_INIT);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await via(`${base}/agents`, { method: 'HEAD' })).status).toBe(200);
  });

  it('serves MCP', async () => {
    const headers = { ...POST_INIT.headers, accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const answer = await via(`${base}/mcp`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"clerk"')]);
  });

  it('returns only working links to MCP clients', async () => {
    const sendBelow: Send = (path, init) => via(base + path, init);
    // A repeated call returns the waiting turn's task.
    const meta = { [IDEMPOTENCY_META]: crypto.randomUUID() };
    const waits = await callTool(sendBelow, 'clerk', { message: 'Pay.' }, meta);
    const { session, turn, path } = Object(waits.structuredContent);
    expect(path).toBe(`${base}/agents/clerk/sessions/${session}/turns/${turn}`);
    const busy = await callTool(sendBelow, 'clerk', { message: 'Pay.', session });
    const { taskId } = await startTask(sendBelow, 'clerk', { message: 'Pay.' }, { meta });
    const task = await requestResult(sendBelow, 'tasks/get', { taskId });
    const found = [waits, busy, task].map(collectPaths);
    expect(found.map((links) => links.length)).toEqual([4, 1, 1]);
    for (const link of found.flat()) {
      expect(link.startsWith(`${base}/`)).toBe(true);
      expect([link, (await via(link)).status]).toEqual([link, link.includes('/approvals/') ? 405 : 202]);
    }
  });
});

describe('a path outside the app’s routes', () => {
  it('is served by the outer app, whose other paths below the mount path keep working', async () => {
    const own = new Hono()
      .route('/ai', createMountedApp().routes)
      .get('/ai/mine', (c) => c.text('mine'))
      .notFound((c) => c.text('of the app', 404));
    const via = sendThrough(own.fetch, '/ai');
    expect(await (await via('/ai/mine')).text()).toBe('mine');
    expect(await (await via('/ai/nothing')).text()).toBe('of the app');
    expect(await (await via('/agents')).text()).toBe('of the app');
    expect((await via('/ai/mine')).headers.get('x-request-id')).toBe(null);
  });
});

describe('a developer', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  beforeEach(() => warn.mockClear());
  afterAll(() => warn.mockRestore());

  it('is warned once in the log, and in every response, if the Worker serves a part of a site without basePath', async () => {
    const via = sendThrough(createMountedApp().worker.fetch as FetchFunction);
    const hint = "If the Worker is served below /ai, set createHoldfast({ http: { basePath: '/ai' } }).";
    for (const path of [
      '/ai/agents',
      '/ai/agents/clerk/sessions/s1/messages',
      '/ai/mcp',
      '/ai/openapi.json',
    ]) {
      const { detail } = await readJson(await via(path));
      expect(detail).toBe(`This path is unknown. GET / shows where to start. ${hint}`);
    }
    expect(warn.mock.calls).toEqual([[`holdfast: no route matches /ai/agents. ${hint}`]]);
  });

  it('sees a suggestion in every response to an unknown path that ends like a route, and in the log once', async () => {
    const via = sendThrough(createMountedApp().worker.fetch as FetchFunction);
    const messages = '/agents/{agent}/sessions/{session}/messages';
    for (const [path, meant] of [
      ['/agents/clerk/messages', messages],
      ['/api/chat/messages', messages],
      ['/agent/clerk/sessions/s1', '/agents/{agent}/sessions/{session}'],
      ['/agents/clerk/s1/cancel', '/agents/{agent}/sessions/{session}/cancel'],
    ]) {
      const { detail } = await readJson(await via(String(path)));
      expect(detail).toBe(`This path is unknown. GET / shows where to start. Did you mean ${meant}?`);
    }
    const hint = `Did you mean ${messages}?`;
    expect(warn.mock.calls).toEqual([[`holdfast: no route matches /agents/clerk/messages. ${hint}`]]);
  });

  it('sees no suggestion for a path outside the app', async () => {
    const via = sendThrough(createMountedApp().worker.fetch as FetchFunction);
    const wellKnown = '/.well-known/oauth-protected-resource/mcp';
    for (const path of ['/favicon.ico', '/agents/clerk', '/ai', '/agents/x/mcp/y', wellKnown]) {
      const { detail } = await readJson(await via(path));
      expect(detail).toBe('This path is unknown. GET / shows where to start.');
    }
    expect(warn).not.toHaveBeenCalled();
  });

  it('is warned once if the app is mounted elsewhere than at its basePath', async () => {
    const via = sendThrough(
      new Hono().route('/api', createMountedApp({ http: { basePath: '/ai' } }).routes).fetch,
      '/api',
    );
    expect(await readJson(await via('/api'))).toMatchObject({ agents: '/ai/agents' });
    await via('/api');
    expect(warn.mock.calls).toEqual([
      [
        "holdfast: requests arrive below '/api', but links lead below '/ai', the basePath of createHoldfast({ http }). " +
          'Remove `basePath`, unless a proxy before this Worker rewrites paths.',
      ],
    ]);
  });

  it.each(['ai', '/ai/', '/', '', '/a b', '/ai?x', '//ai'])(
    'sees an error at startup that %j is not a valid basePath',
    (basePath) => {
      expect(() => createMountedApp({ http: { basePath } })).toThrow(
        `createHoldfast has ${JSON.stringify(basePath)} as its 'http.basePath'. Use a path that starts with '/' and does not end with one, such as '/ai'.`,
      );
    },
  );
});
