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
import { holdReply, script } from '../../../../fixtures/scripts.ts';
import { appWith } from '../../http/app.ts';
import { allEvents, json, newSession, ORIGIN, post, type Send, SSE } from '../../http/client.ts';
import { fileApp, idOf, postAndRead } from '../../http/file-app.ts';
import { appWithEndpoint, postMcp, rpcRequest } from '../../mcp/server/talk.ts';

const PAGE = 'https://app.example';
const pages = cors({ origins: [PAGE, 'http://localhost:3000'] });
const FROM = { origin: PAGE, 'sec-fetch-site': 'cross-site' };
const EXPOSED =
  'x-request-id, location, content-location, retry-after, etag, preference-applied, allow, www-authenticate, content-disposition, ' +
  'content-range, x-should-retry, x-vercel-ai-ui-message-stream, mcp-session-id, *';

type Headers = Readonly<Record<string, string>>;

const shop = defineWebhook({
  name: 'shop',
  agent: 'scripted',
  verify: () => reply('Nothing.'),
  start: () => ignored('Nothing.'),
});
const via = appWith({ use: [answers, openApi(), files(), shop, pages] });
const scriptMessage = (...replies: Parameters<typeof script>) => ({ message: script(...replies).message() });
const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });

/** Returns the headers that browsers read for CORS. */
const corsOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'));

/** Sends a browser's preflight request. */
const sendPreflight = (
  path: string,
  method: string,
  { headers = {}, by = via }: { headers?: Headers; by?: Send } = {},
) =>
  by(path, {
    method: 'OPTIONS',
    headers: { ...FROM, 'access-control-request-method': method, ...headers },
  });

describe('a preflight request from a page on an allowed origin', () => {
  it.each<[string, string, string]>([
    [`${newSession()}/messages`, 'POST', 'POST'],
    [newSession(), 'DELETE', 'GET, HEAD, DELETE'],
    [`${newSession()}/turns/t1`, 'GET', 'GET, HEAD'],
    [`${newSession()}/events`, 'GET', 'GET, HEAD'],
    [`${newSession()}/files/f1`, 'GET', 'GET, HEAD, DELETE'],
    [`${newSession()}/cancel`, 'POST', 'POST'],
    [`${newSession()}/approvals/c1`, 'POST', 'POST'],
    [`${newSession()}/results/c1`, 'POST', 'POST'],
    ['/', 'GET', 'GET, HEAD'],
    ['/health', 'GET', 'GET, HEAD'],
    ['/openapi.json', 'GET', 'GET, HEAD'],
    ['/agents', 'GET', 'GET, HEAD'],
    ['/hooks/shop', 'POST', 'POST'],
    ['/nothing', 'PUT', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  ])('for %s returns the allowed methods of the path', async (path, method, methods) => {
    const response = await sendPreflight(path, method);
    expect([response.status, await response.text(), corsOf(response)]).toEqual([
      204,
      '',
      {
        'access-control-allow-origin': PAGE,
        'access-control-allow-methods': methods,
        'access-control-max-age': '7200',
        'access-control-expose-headers': EXPOSED,
        vary: 'origin',
      },
    ]);
  });

  it('returns the same for MCP', async () => {
    const response = await sendPreflight('/mcp', 'POST', {
      by: appWithEndpoint({ tools: [hello] }, { use: [pages] }),
    });
    expect([response.status, corsOf(response)]).toMatchObject([
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
    const response = await sendPreflight(`${newSession()}/messages`, 'POST', { headers });
    expect(response.headers.get('access-control-allow-headers')).toBe(wanted);
  });

  it('needs no token, and does not call `auth`', async () => {
    const asked: Request[] = [];
    const auth = (request: Request) => {
      asked.push(request);
      return null;
    };
    const response = await sendPreflight('/agents', 'GET', { by: appWith({ use: [pages], auth }) });
    expect([response.status, asked]).toEqual([204, []]);
  });

  it.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'http://app.example' },
    { origin: 'https://app.example.evil.example' },
    { origin: 'null' },
  ])('of another origin gets the usual response: %j', async (headers) => {
    const response = await sendPreflight('/agents', 'GET', { headers });
    expect([response.status, corsOf(response)]).toEqual([405, { vary: 'origin' }]);
    const closed = appWith({ use: [pages], auth: () => null });
    expect((await sendPreflight('/agents', 'GET', { headers, by: closed })).status).toBe(401);
  });

  it('to an app without allowed origins gets no CORS headers', async () => {
    const response = await sendPreflight('/agents', 'GET', { by: appWith({}) });
    expect([response.status, response.headers.get('allow'), corsOf(response)]).toEqual([
      405,
      'GET, HEAD',
      {},
    ]);
  });

  it('must name a method, because OPTIONS without a method is an ordinary request', async () => {
    const response = await via('/agents', { method: 'OPTIONS', headers: FROM });
    expect([response.status, (await json(response)).detail]).toEqual([405, 'Use GET, HEAD.']);
  });
});

const READABLE = {
  'access-control-allow-origin': PAGE,
  'access-control-expose-headers': EXPOSED,
  vary: 'origin',
};

/** Each response, its status, and its request. */
const ANSWERS: readonly (readonly [
  what: string,
  status: number,
  ask: (from: Headers) => Promise<Response>,
])[] = [
  ['to a message', 200, (from) => post(newSession(), scriptMessage('Hi.'), { headers: from, via })],
  ['about the agents', 200, (from) => via('/agents', { headers: from })],
  ['about an unknown session', 404, (from) => via(newSession(), { headers: from })],
  ['to an unknown path', 404, (from) => via('/nothing', { headers: from })],
  ['to the wrong method', 405, (from) => via('/agents', { method: 'PUT', headers: from })],
  ['to an invalid body', 400, (from) => post(newSession(), '{', { headers: from, via })],
  [
    'to an unauthorized caller',
    401,
    (from) => appWith({ use: [pages], auth: () => null })('/agents', { headers: from }),
  ],
  [
    'for an internal failure',
    500,
    (from) =>
      appWith({
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
      appWith({ use: [pages], log: false, auth: () => Promise.reject('a text') })('/agents', {
        headers: from,
      }),
  ],
  ['of the health check', 200, (from) => via('/health', { headers: from })],
  [
    'of the MCP endpoint',
    200,
    (from) =>
      postMcp(appWithEndpoint({ tools: [hello] }, { use: [pages] }), rpcRequest('ping'), { headers: from }),
  ],
];

describe('a response', () => {
  it.each(ANSWERS)('%s is readable by a page of an allowed origin', async (_, status, ask) => {
    const response = await ask(FROM);
    expect([response.status, corsOf(response)]).toEqual([status, READABLE]);
    expect(response.headers.get('access-control-allow-credentials')).toBe(null);
  });

  it.each(ANSWERS)('%s has no CORS headers for programs and same-origin pages', async (_, status, ask) => {
    const response = await ask({});
    expect([response.status, corsOf(response)]).toEqual([status, { vary: 'origin' }]);
  });

  it('that refuses another origin’s page does not reveal the reason to the page', async () => {
    const from = { origin: 'https://evil.example' };
    const response = await post(newSession(), scriptMessage('Hi.'), { headers: from, via });
    expect([response.status, corsOf(response)]).toEqual([403, { vary: 'origin' }]);
    const read = await via('/agents', { headers: from });
    expect([read.status, corsOf(read)]).toEqual([200, { vary: 'origin' }]);
  });

  it('that is a stream is readable: from a message, and of the journal', async () => {
    const session = newSession();
    const headers = { ...FROM, ...SSE };
    const streamed = await post(session, scriptMessage('Hi.'), { headers, via });
    expect([streamed.status, corsOf(streamed)]).toEqual([200, READABLE]);
    expect((await allEvents(streamed)).at(-1)?.event).toBe('answer');
    const events = await via(`${session}/events`, { headers });
    expect([events.status, corsOf(events)]).toEqual([200, READABLE]);
    await events.body?.cancel();
  });

  it('that is a file is readable', async () => {
    const app = fileApp({ accepts: ['image/*'], use: [pages] });
    const session = newSession('seer');
    await postAndRead(
      app.via,
      { message: [{ type: 'file', mediaType: 'image/png', data: btoa('seen') }] },
      session,
    );
    const response = await app.via(`${session}/files/${await idOf('seen')}`, { headers: FROM });
    expect([response.status, corsOf(response)]).toEqual([200, READABLE]);
  });

  it('is readable while its turn runs, by each page that sends its own origin', async () => {
    const answer = holdReply('Done.');
    const session = newSession();
    const running = post(session, scriptMessage(answer.reply), { headers: FROM, via });
    await answer.asked();
    const busy = await post(session, scriptMessage('No.'), {
      headers: { origin: 'http://localhost:3000' },
      via,
    });
    expect([busy.status, corsOf(busy)]).toEqual([
      409,
      { ...READABLE, 'access-control-allow-origin': 'http://localhost:3000' },
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
  const all = appWith(app);
  const token = { authorization: 'Bearer t' };

  /** Each route, with a valid path. */
  async function routesOf(): Promise<readonly (readonly [method: string, path: string])[]> {
    const { paths } = await json(await all('/openapi.json', { headers: token }));
    return Object.entries<object>(Object(paths)).flatMap(([path, item]) => {
      const filled = path.replace('{agent}', 'scripted').replaceAll(/\{\w+\}/g, 'x');
      const methods = Object.keys(item).filter((key) => key !== 'parameters');
      return methods.map((method) => [method.toUpperCase(), filled] as const);
    });
  }

  it('responds to preflight requests, and is readable by pages of the allowed origins only', async () => {
    const found = await routesOf();
    expect(found.length).toBeGreaterThan(25);
    const strange: unknown[] = [];
    for (const [method, path] of found) {
      const asked = await sendPreflight(path, method, { by: all });
      const allowed = asked.headers.get('access-control-allow-methods')?.split(', ') ?? [];
      if (asked.status !== 204 || !allowed.includes(method)) strange.push([method, path, asked.status]);
      for (const headers of [FROM, { ...FROM, ...token }, { ...FROM, ...token, ...SSE }]) {
        const read = await all(path, { method, headers, redirect: 'manual' });
        await read.body?.cancel();
        const isReadable = JSON.stringify(corsOf(read)) === JSON.stringify(READABLE);
        if (!isReadable) strange.push([method, path, read.status, corsOf(read)]);
      }
      for (const headers of [{}, { origin: 'https://evil.example' }]) {
        const read = await all(path, { method, headers, redirect: 'manual' });
        // Authorization metadata for MCP is readable by every page.
        const isToldToAll = path.startsWith('/.well-known/');
        if (!isToldToAll && JSON.stringify(corsOf(read)) !== '{"vary":"origin"}') {
          strange.push([method, path, read.status, corsOf(read)]);
        }
      }
    }
    expect(strange).toEqual([]);
  });
});

describe('an app below another path', () => {
  const sending =
    (fetch: Hono['fetch']): Send =>
    async (path, init) =>
      fetch(new Request(ORIGIN + path, init), { ...env }, createExecutionContext());
  const { routes } = createHoldfast({ agents: [scripted], use: [pages] });
  const { worker } = createHoldfast({ agents: [scripted], use: [pages], http: { basePath: '/ai' } });

  it.each<[string, Send]>([
    ['a Hono app', sending(new Hono().route('/ai', routes).fetch)],
    ['its basePath', sending(worker.fetch as Hono['fetch'])],
  ])('of %s responds to pages of its origins as usual', async (_, mounted) => {
    const asked = await sendPreflight('/ai/agents', 'GET', { by: mounted });
    expect([asked.status, corsOf(asked)]).toMatchObject([
      204,
      { 'access-control-allow-methods': 'GET, HEAD', 'access-control-allow-origin': PAGE },
    ]);
    const read = await mounted('/ai/agents', { headers: FROM });
    expect([read.status, corsOf(read)]).toEqual([200, READABLE]);
  });

  it('leaves the outer app’s paths to that app', async () => {
    const own = new Hono().route('/ai', routes).get('/mine', (c) => c.text('mine'));
    const response = await sending(own.fetch)('/mine', { headers: FROM });
    expect([response.status, corsOf(response)]).toEqual([200, {}]);
    expect((await sendPreflight('/ai/nothing', 'GET', { by: sending(own.fetch) })).status).toBe(404);
  });
});
