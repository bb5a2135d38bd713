/** Requests from a page of another origin that the app allows, including preflights. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { agUi } from '../../../../../src/examples/ag-ui/ag-ui.ts';
import { defineTool } from '../../../../../src/index.ts';
import { defineMcpEndpoint } from '../../../../../src/mcp/server/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import { cors } from '../../../../../src/modules/http/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { defineWebhook, ignored, reply } from '../../../../../src/modules/webhooks/entry.ts';
import { aiSdkUi } from '../../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAi } from '../../../../../src/surfaces/openai/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import {
  createSessionPath,
  ORIGIN,
  post,
  readAllEvents,
  readJson,
  type Send,
  SSE_HEADERS,
} from '../../http/client.ts';
import { computeFileId, createFileApp, postAndRead } from '../../http/file-app.ts';
import { createEndpointApp, createRpcRequest, postMcp } from '../../mcp/server/talk.ts';

const PAGE_ORIGIN = 'https://app.example';
const pages = cors({ origins: [PAGE_ORIGIN, 'http://localhost:3000'] });
const PAGE_HEADERS = { origin: PAGE_ORIGIN, 'sec-fetch-site': 'cross-site' };
const EXPOSED_HEADERS =
  'x-request-id, location, content-location, retry-after, etag, preference-applied, allow, www-authenticate, content-disposition, ' +
  'content-range, x-should-retry, x-vercel-ai-ui-message-stream, mcp-session-id, *';

type Headers = Readonly<Record<string, string>>;

const shop = defineWebhook({
  name: 'shop',
  agent: 'scripted',
  verify: () => reply('Nothing.'),
  start: () => ignored('Nothing.'),
});
const via = createTestApp({ use: [answers, openApi(), files(), shop, pages] });
const createScriptMessage = (...replies: Parameters<typeof registerScript>) => ({
  message: registerScript(...replies).message(),
});
const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });

/** Returns the headers that browsers read for CORS. */
const getCorsHeaders = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

/** Sends a browser's preflight request. */
const sendPreflight = (
  path: string,
  method: string,
  { headers = {}, by = via }: { headers?: Headers; by?: Send } = {},
) =>
  by(path, {
    method: 'OPTIONS',
    headers: { ...PAGE_HEADERS, 'access-control-request-method': method, ...headers },
  });

describe('a preflight request from a page', () => {
  it.each<[string, string, string]>([
    [`${createSessionPath()}/messages`, 'POST', 'POST'],
    [createSessionPath(), 'DELETE', 'GET, HEAD, DELETE'],
    [`${createSessionPath()}/turns/t1`, 'GET', 'GET, HEAD'],
    [`${createSessionPath()}/events`, 'GET', 'GET, HEAD'],
    [`${createSessionPath()}/files/f1`, 'GET', 'GET, HEAD, DELETE'],
    [`${createSessionPath()}/cancel`, 'POST', 'POST'],
    [`${createSessionPath()}/approvals/c1`, 'POST', 'POST'],
    [`${createSessionPath()}/results/c1`, 'POST', 'POST'],
    ['/', 'GET', 'GET, HEAD'],
    ['/health', 'GET', 'GET, HEAD'],
    ['/openapi.json', 'GET', 'GET, HEAD'],
    ['/agents', 'GET', 'GET, HEAD'],
    ['/hooks/shop', 'POST', 'POST'],
    ['/nothing', 'PUT', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  ])('for %s returns the allowed methods of the path', async (path, method, methods) => {
    const response = await sendPreflight(path, method);
    expect([response.status, await response.text(), getCorsHeaders(response)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': PAGE_ORIGIN,
        'access-control-allow-methods': methods,
        'access-control-max-age': '7200',
        'access-control-expose-headers': EXPOSED_HEADERS,
        vary: 'origin',
      },
    ]);
  });

  it('returns the allowed methods of the MCP endpoint', async () => {
    const response = await sendPreflight('/mcp', 'POST', {
      by: createEndpointApp({ tools: [hello] }, { use: [pages] }),
    });
    expect([response.status, getCorsHeaders(response)]).toMatchObject([
      204,
      { 'access-control-allow-methods': 'POST, GET, HEAD' },
    ]);
  });

  it.each([
    'authorization,content-type,idempotency-key,last-event-id,prefer,if-none-match',
    'authorization, content-type, x-ai-sdk, x-holdfast-session, a2a-version',
    'mcp-protocol-version,mcp-session-id,mcp-method,mcp-name',
    'x-stainless-arch,x-stainless-lang,x-stainless-os,x-stainless-package-version,x-stainless-retry-count',
  ])('allows the requested headers: %s', async (wanted) => {
    const headers = { 'access-control-request-headers': wanted };
    const response = await sendPreflight(`${createSessionPath()}/messages`, 'POST', { headers });
    expect(response.headers.get('access-control-allow-headers')).toBe(wanted);
  });

  it('needs no token, and does not call `auth`', async () => {
    const asked: Request[] = [];
    const auth = (request: Request) => {
      asked.push(request);
      return null;
    };
    const response = await sendPreflight('/agents', 'GET', { by: createTestApp({ use: [pages], auth }) });
    expect([response.status, asked]).toEqual([204, []]);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'http://app.example' },
    { origin: 'https://app.example.evil.example' },
    { origin: 'null' },
  ])('gets the usual response if its origin is not allowed: %j', async (headers) => {
    const response = await sendPreflight('/agents', 'GET', { headers });
    expect([response.status, getCorsHeaders(response)]).toEqual([405, { vary: 'origin' }]);
    const closed = createTestApp({ use: [pages], auth: () => null });
    expect((await sendPreflight('/agents', 'GET', { headers, by: closed })).status).toBe(401);
  });

  it('to an app without allowed origins gets no CORS headers', async () => {
    const response = await sendPreflight('/agents', 'GET', { by: createTestApp({}) });
    expect([response.status, response.headers.get('allow'), getCorsHeaders(response)]).toEqual([
      405,
      'GET, HEAD',
      {},
    ]);
  });

  it('must specify a method, because OPTIONS without a method is an ordinary request', async () => {
    const response = await via('/agents', { method: 'OPTIONS', headers: PAGE_HEADERS });
    expect([response.status, (await readJson(response)).detail]).toEqual([405, 'Use GET, HEAD.']);
  });
});

const READABLE_HEADERS = {
  'access-control-allow-origin': PAGE_ORIGIN,
  'access-control-expose-headers': EXPOSED_HEADERS,
  vary: 'origin',
};

/** Each entry: a response, its status, and the request for it. */
const ANSWER_CASES: readonly (readonly [
  what: string,
  status: number,
  ask: (from: Headers) => Promise<Response>,
])[] = [
  [
    'to a message',
    200,
    (from) => post(createSessionPath(), createScriptMessage('Hi.'), { headers: from, via }),
  ],
  ['about the agents', 200, (from) => via('/agents', { headers: from })],
  ['about an unknown session', 404, (from) => via(createSessionPath(), { headers: from })],
  ['to an unknown path', 404, (from) => via('/nothing', { headers: from })],
  ['to the wrong method', 405, (from) => via('/agents', { method: 'PUT', headers: from })],
  ['to an invalid body', 400, (from) => post(createSessionPath(), '{', { headers: from, via })],
  [
    'to an unauthorized caller',
    401,
    (from) => createTestApp({ use: [pages], auth: () => null })('/agents', { headers: from }),
  ],
  [
    'for an internal failure',
    500,
    (from) =>
      createTestApp({
        use: [pages],
        log: false,
        auth: () => {
          throw new Error('broken');
        },
      })('/agents', { headers: from }),
  ],
  [
    'for a thrown value that is not an Error',
    500,
    (from) =>
      createTestApp({ use: [pages], log: false, auth: () => Promise.reject('a text') })('/agents', {
        headers: from,
      }),
  ],
  ['of the health check', 200, (from) => via('/health', { headers: from })],
  [
    'of the MCP endpoint',
    200,
    (from) =>
      postMcp(createEndpointApp({ tools: [hello] }, { use: [pages] }), createRpcRequest('ping'), {
        headers: from,
      }),
  ],
];

describe('a response', () => {
  it.each(ANSWER_CASES)('%s is readable by a page of an allowed origin', async (_, status, ask) => {
    const response = await ask(PAGE_HEADERS);
    expect([response.status, getCorsHeaders(response)]).toEqual([status, READABLE_HEADERS]);
    expect(response.headers.get('access-control-allow-credentials')).toBe(null);
  });

  it.each(ANSWER_CASES)(
    '%s has no CORS headers for programs and same-origin pages',
    async (_, status, ask) => {
      const response = await ask({});
      expect([response.status, getCorsHeaders(response)]).toEqual([status, { vary: 'origin' }]);
    },
  );

  it('does not reveal to a page of another origin why the page is refused', async () => {
    const from = { origin: 'https://evil.example' };
    const response = await post(createSessionPath(), createScriptMessage('Hi.'), { headers: from, via });
    expect([response.status, getCorsHeaders(response)]).toEqual([403, { vary: 'origin' }]);
    const read = await via('/agents', { headers: from });
    expect([read.status, getCorsHeaders(read)]).toEqual([200, { vary: 'origin' }]);
  });

  it('is readable if it is a stream, from a message or of the journal', async () => {
    const session = createSessionPath();
    const headers = { ...PAGE_HEADERS, ...SSE_HEADERS };
    const streamed = await post(session, createScriptMessage('Hi.'), { headers, via });
    expect([streamed.status, getCorsHeaders(streamed)]).toEqual([200, READABLE_HEADERS]);
    expect((await readAllEvents(streamed)).at(-1)?.event).toBe('answer');
    const events = await via(`${session}/events`, { headers });
    expect([events.status, getCorsHeaders(events)]).toEqual([200, READABLE_HEADERS]);
    await events.body?.cancel();
  });

  it('is readable if it is a file', async () => {
    const app = createFileApp({ accepts: ['image/*'], use: [pages] });
    const session = createSessionPath('seer');
    await postAndRead(
      app.via,
      { message: [{ type: 'file', mediaType: 'image/png', data: btoa('seen') }] },
      session,
    );
    const response = await app.via(`${session}/files/${await computeFileId('seen')}`, {
      headers: PAGE_HEADERS,
    });
    expect([response.status, getCorsHeaders(response)]).toEqual([200, READABLE_HEADERS]);
  });

  it('is readable while its turn runs, by each page that sends its own origin', async () => {
    const answer = createHeldReply('Done.');
    const session = createSessionPath();
    const running = post(session, createScriptMessage(answer.reply), { headers: PAGE_HEADERS, via });
    await answer.asked();
    const busy = await post(session, createScriptMessage('No.'), {
      headers: { origin: 'http://localhost:3000' },
      via,
    });
    expect([busy.status, getCorsHeaders(busy)]).toEqual([
      409,
      { ...READABLE_HEADERS, 'access-control-allow-origin': 'http://localhost:3000' },
    ]);
    answer.release();
    expect((await running).status).toBe(200);
  });
});

describe('every route of an app', () => {
  const app = {
    agents: [scripted],
    auth: ({ headers }: Request) => (headers.has('authorization') ? { id: 'me' } : null),
    use: [
      pages,
      answers,
      openAi(),
      aiSdkUi(),
      agUi(),
      openApi(),
      defineMcpEndpoint({ tools: [hello], authorization: { servers: ['https://login.example'] } }),
    ],
  };
  const all = createTestApp(app);
  const token = { authorization: 'Bearer t' };

  /** Each route, with a valid path. */
  async function listRoutes(): Promise<readonly (readonly [method: string, path: string])[]> {
    const { paths } = await readJson(await all('/openapi.json', { headers: token }));
    return Object.entries<object>(Object(paths)).flatMap(([path, item]) => {
      const filled = path.replace('{agent}', 'scripted').replaceAll(/\{\w+\}/g, 'x');
      const methods = Object.keys(item).filter((key) => key !== 'parameters');
      return methods.map((method) => [method.toUpperCase(), filled] as const);
    });
  }

  it('responds to preflight requests, and is readable only by pages of the allowed origins', async () => {
    const found = await listRoutes();
    expect(found.length).toBeGreaterThan(25);
    const strange: unknown[] = [];
    for (const [method, path] of found) {
      const asked = await sendPreflight(path, method, { by: all });
      const allowed = asked.headers.get('access-control-allow-methods')?.split(', ') ?? [];
      if (asked.status !== 204 || !allowed.includes(method)) strange.push([method, path, asked.status]);
      for (const headers of [
        PAGE_HEADERS,
        { ...PAGE_HEADERS, ...token },
        { ...PAGE_HEADERS, ...token, ...SSE_HEADERS },
      ]) {
        const read = await all(path, { method, headers, redirect: 'manual' });
        await read.body?.cancel();
        const isReadable = JSON.stringify(getCorsHeaders(read)) === JSON.stringify(READABLE_HEADERS);
        if (!isReadable) strange.push([method, path, read.status, getCorsHeaders(read)]);
      }
      for (const headers of [{}, { origin: 'https://evil.example' }]) {
        const read = await all(path, { method, headers, redirect: 'manual' });
        // Any page may read authorization metadata for MCP.
        const isToldToAll = path.startsWith('/.well-known/');
        if (!isToldToAll && JSON.stringify(getCorsHeaders(read)) !== '{"vary":"origin"}') {
          strange.push([method, path, read.status, getCorsHeaders(read)]);
        }
      }
    }
    expect(strange).toEqual([]);
  });
});

describe('an app below another path', () => {
  const sendThrough =
    (fetch: Hono['fetch']): Send =>
    async (path, init) =>
      fetch(new Request(ORIGIN + path, init), { ...env }, createExecutionContext());
  const { routes } = createHoldfast({ agents: [scripted], use: [pages] });
  const { worker } = createHoldfast({ agents: [scripted], use: [pages], http: { basePath: '/ai' } });

  it.each<[string, Send]>([
    ['a Hono app', sendThrough(new Hono().route('/ai', routes).fetch)],
    ['its basePath', sendThrough(worker.fetch as Hono['fetch'])],
  ])('of %s responds to pages of its origins as usual', async (_, mounted) => {
    const asked = await sendPreflight('/ai/agents', 'GET', { by: mounted });
    expect([asked.status, getCorsHeaders(asked)]).toMatchObject([
      204,
      { 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-origin': PAGE_ORIGIN },
    ]);
    const read = await mounted('/ai/agents', { headers: PAGE_HEADERS });
    expect([read.status, getCorsHeaders(read)]).toEqual([200, READABLE_HEADERS]);
  });

  it('leaves the outer app’s paths to that app', async () => {
    const own = new Hono().route('/ai', routes).get('/mine', (c) => c.text('mine'));
    const response = await sendThrough(own.fetch)('/mine', { headers: PAGE_HEADERS });
    expect([response.status, getCorsHeaders(response)]).toEqual([200, {}]);
    expect((await sendPreflight('/ai/nothing', 'GET', { by: sendThrough(own.fetch) })).status).toBe(404);
  });
});
