import { describe, expect, it } from 'vitest';
import { McpServerError } from '../../../../doors/mcp.ts';
import {
  challengeWith,
  createFakeServer,
  type FakeServerOptions,
  forbidWith,
  hangForever,
  type Misbehavior,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createCaller, createRemoteCall, getRejection, open } from './open.ts';

const echo = {
  name: 'echo',
  run: (args: Record<string, unknown>) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(args) }],
  }),
};

/** The JSON-RPC methods of the requests, or their HTTP methods. */
const listMethods = (requests: readonly RecordedRequest[]) =>
  requests.map(({ method, rpc }) => rpc ?? method);

describe('a connection', () => {
  it.each<[string, FakeServerOptions]>([
    ['with sessions', {}],
    ['that answers in JSON', { json: true }],
    ['without sessions', { kind: 'stateless' }],
    ['without sessions and with answers in JSON', { kind: 'stateless', json: true }],
    ['with resumable streams', { resumable: true }],
    ['with the old transport', { kind: 'sse' }],
  ])('can call a tool of a server %s', async (_, options) => {
    const server = createFakeServer({ ...options, tools: [echo] });
    const connection = await open(server);
    expect((await connection.listTools(new AbortController().signal)).tools).toEqual([
      { name: 'echo', inputSchema: { type: 'object' } },
    ]);
    const answer = await connection.callTool(createRemoteCall('echo', { a: 1 }), callOptions());
    expect(answer).toEqual({ content: [{ type: 'text', text: '{"a":1}' }] });
  });

  it('announces its name and the elicitation capability, with protocol headers only', async () => {
    const server = createFakeServer({ tools: [echo] });
    const connection = await open(server);
    await connection.callTool({ name: 'echo', input: { a: 1 }, meta: { tenant: 'acme' } }, callOptions());
    await server.request(({ method }) => method === 'GET');
    await connection.close();
    const [initialize, ...others] = server.requests;
    expect(initialize).toEqual({
      method: 'POST',
      url: server.url,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: { elicitation: { form: {} } },
          clientInfo: { name: 'holdfast', version: '0.1.0' },
        },
        jsonrpc: '2.0',
        id: 0,
      }),
      rpc: 'initialize',
    });
    const session = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': expect.any(String) };
    const posted = { ...initialize?.headers, ...session };
    const sent = new Map(others.map((request) => [request.rpc ?? request.method, request]));
    expect([...sent.keys()].sort()).toEqual(['DELETE', 'GET', 'notifications/initialized', 'tools/call']);
    expect(sent.get('notifications/initialized')?.headers).toEqual(posted);
    expect(sent.get('GET')?.headers).toEqual({ ...session, accept: 'text/event-stream' });
    expect(sent.get('DELETE')?.headers).toEqual(session);
    expect(sent.get('tools/call')?.headers).toEqual(posted);
    expect(JSON.parse(sent.get('tools/call')?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { a: 1 }, _meta: { tenant: 'acme', progressToken: 1 } },
    });
  });

  it('sends the client’s headers and the caller’s bearer token with every request, but protocol headers take precedence', async () => {
    const server = createFakeServer({ tools: [echo] });
    const connection = await open(server, {
      bearer: 'TOKEN',
      headers: async ({ principal }) => ({
        'x-tenant': principal.tenant ?? '',
        'mcp-session-id': 'stolen',
        authorization: 'x',
      }),
      as: createCaller({ TOKEN: 'planted', OTHER: 'kept' }),
    });
    await connection.callTool(createRemoteCall('echo'), callOptions());
    await connection.close();
    const own = { authorization: 'Bearer planted', 'x-tenant': 'acme' };
    for (const { headers } of server.requests) expect(headers).toMatchObject(own);
    expect(server.requests.at(-1)?.headers['mcp-session-id']).not.toBe('stolen');
    expect(JSON.stringify(server.requests)).not.toContain('kept');
  });

  it('does not announce elicitation if the client refuses it', async () => {
    const server = createFakeServer();
    await open(server, { elicitation: 'refuse' });
    expect(JSON.parse(server.requests[0]?.body ?? '').params.capabilities).toEqual({});
  });

  it('runs the functions of the client once, even if its session is restarted', async () => {
    const server = createFakeServer({ tools: [echo] });
    let times = 0;
    const connection = await open(server, { headers: () => ({ 'x-times': String(++times) }) });
    server.forgetSessions();
    await connection.callTool(createRemoteCall('echo'), callOptions());
    expect(times).toBe(1);
  });
});

describe('an old server', () => {
  it.each([400, 404, 405])('is called over SSE if it returns %i to the first message', async (status) => {
    const server = createFakeServer({ kind: 'sse', tools: [echo] });
    server.misbehave = misbehaveFor(
      ({ method, url }) => method === 'POST' && url === server.url,
      respondWith(status),
    );
    const connection = await open(server, { known: 'nothing' });
    await connection.callTool(createRemoteCall('echo'), callOptions());
    expect(connection.spoken).toEqual({ era: 'sse' });
    expect(listMethods(server.requests)).toEqual([
      'server/discover',
      'initialize',
      'GET',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    const { searchParams, pathname, origin } = new URL(server.requests.at(-1)?.url ?? '');
    expect([origin, pathname, [...searchParams.keys()]]).toEqual([
      'https://mcp.test',
      '/messages',
      ['sessionId'],
    ]);
    expect(server.requests.at(-1)?.headers).toEqual({ 'content-type': 'application/json' });
    expect(server.requests[2]?.headers).toEqual({ accept: 'text/event-stream' });
  });

  it('is called over SSE at once if the client sets this transport', async () => {
    const server = createFakeServer({ kind: 'sse' });
    await open(server, { transport: 'sse' });
    expect(listMethods(server.requests)).toEqual(['GET', 'initialize', 'notifications/initialized']);
  });

  it('is not called over SSE if the client sets streamable HTTP', async () => {
    const server = createFakeServer({ kind: 'sse' });
    const error = await getRejection(open(server, { transport: 'streamable-http', known: 'nothing' }));
    expect(error).toEqual(createUnreachableError('it answered HTTP 405'));
    expect(listMethods(server.requests)).toEqual(['server/discover', 'initialize']);
  });

  it("cannot send the client's messages to another server", async () => {
    const server = createFakeServer();
    server.misbehave = () => createEventResponse('event: endpoint\ndata: https://evil.test/messages\n\n');
    expect(await getRejection(open(server, { transport: 'sse' }))).toEqual(
      createUnreachableError('it redirects messages to another server'),
    );
    expect(listMethods(server.requests)).toEqual(['GET']);
  });
});

describe('an unreachable server', () => {
  it.each([400, 402, 404, 429, 500, 503])('is reported with its status %i', async (status) => {
    const error = await getRejection(
      open(createFakeServer({ misbehave: respondWith(status, { body: 'planted' }) })),
    );
    expect(error).toEqual(createUnreachableError(`it answered HTTP ${status}`));
  });

  it.each<[string, Misbehavior]>([
    ['401', respondWith(401)],
    ['403 with WWW-Authenticate', challengeWith(403)],
  ])('is reported as rejecting the credentials if it returns %s', async (said, misbehave) => {
    const status = said.slice(0, 3);
    const error = await getRejection(open(createFakeServer({ misbehave })));
    const message = `MCP server 'files' does not accept the caller's credentials (HTTP ${status}).`;
    expect(error).toEqual(new McpServerError({ server: 'files', during: 'connect', message }));
    expect(error).toMatchObject({ server: 'files', during: 'connect' });
  });

  it.each<[string, Misbehavior, string]>([
    [
      'with its own message',
      forbidWith('Invalid Host header: shop.'),
      'it answered HTTP 403: Invalid Host header: shop',
    ],
    [
      'with its status and without a message that is not JSON-RPC',
      respondWith(403, { body: 'planted' }),
      'it answered HTTP 403',
    ],
  ])('is reported %s if it returns 403 without a request for credentials', async (_, misbehave, words) => {
    expect(await getRejection(open(createFakeServer({ misbehave })))).toEqual(createUnreachableError(words));
    expect(await getRejection(open(createFakeServer({ misbehave }), { known: 'nothing' }))).toEqual(
      createUnreachableError(words),
    );
  });

  it('is reported if the network fails, without the network’s message', async () => {
    const lost = { url: 'https://mcp.test/', fetch: () => Promise.reject(new TypeError('planted')) };
    expect(await getRejection(open(lost))).toEqual(createUnreachableError('the connection was lost'));
  });

  it('is reported if it does not respond in time', async () => {
    const error = await getRejection(
      open(createFakeServer({ misbehave: hangForever }), { connectTimeout: 20 }),
    );
    expect(error).toEqual(createUnreachableError('it did not answer within 20 ms'));
  });

  it('has the same time to respond over SSE', async () => {
    const server = createFakeServer({ misbehave: hangForever });
    const error = await getRejection(open(server, { connectTimeout: 20, transport: 'sse' }));
    expect(error).toEqual(createUnreachableError('it did not answer within 20 ms'));
  });

  it('is abandoned when the caller no longer waits', async () => {
    const server = createFakeServer({ misbehave: hangForever });
    const over = new AbortController();
    const opening = getRejection(open(server, { signal: over.signal }));
    await server.request(() => true);
    over.abort(new Error('planted'));
    expect(await opening).toEqual(createUnreachableError('the turn stopped waiting'));
    expect(listMethods(server.requests)).toEqual(['initialize']);
  });

  it.each([
    ['an HTML page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['no body', () => new Response(null, { status: 202 })],
  ])('is reported if it returns %s', async (_, misbehave) => {
    expect(await getRejection(open(createFakeServer({ misbehave })))).toEqual(
      createUnreachableError('its answer is not MCP'),
    );
  });

  it('is reported if its stream ends without a result', async () => {
    const misbehave = () => createEventResponse(': nothing\n\n');
    const error = await getRejection(open(createFakeServer({ misbehave })));
    expect(error).toEqual(createUnreachableError('it ended its answer before there was a result'));
  });

  it('is reported with its own message, which is shortened, if it returns an error', async () => {
    const misbehave = () =>
      Response.json({
        jsonrpc: '2.0',
        id: 0,
        error: { code: -32600, message: `MCP error -32600: ${'x'.repeat(600)}.` },
      });
    const error = await getRejection(open(createFakeServer({ misbehave })));
    expect(error).toEqual(createUnreachableError(`it answered with error -32600: ${'x'.repeat(499)}…`));
  });

  it.each([
    [
      'an unsupported protocol version',
      { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } },
    ],
    ['no information about itself', {}],
  ])('is reported if it returns %s', async (_, result) => {
    const misbehave = () => Response.json({ jsonrpc: '2.0', id: 0, result });
    const error = await getRejection(open(createFakeServer({ misbehave })));
    expect(error).toEqual(
      createUnreachableError('its answer is not valid MCP, or of an unsupported version'),
    );
  });

  it('is reported if its response is too large', async () => {
    const misbehave = () => Response.json({ jsonrpc: '2.0', id: 0, result: 'x'.repeat(2_000) });
    const error = await getRejection(open(createFakeServer({ misbehave }), { maxResponseBytes: 1_024 }));
    expect(error).toEqual(createUnreachableError('it answered with more than 1024 bytes'));
  });

  it('is reported if it redirects to another origin, and that origin receives no request', async () => {
    const misbehave = respondWith(307, { headers: { location: 'https://evil.test/mcp' } });
    const server = createFakeServer({ misbehave });
    const error = await getRejection(
      open(server, { bearer: 'TOKEN', as: createCaller({ TOKEN: 'planted' }) }),
    );
    expect(error).toEqual(createUnreachableError('it redirects to https://evil.test'));
    expect(server.requests).toHaveLength(1);
  });
});

const createUnreachableError = (why: string) =>
  new McpServerError({
    server: 'files',
    during: 'connect',
    message: `MCP server 'files' cannot be reached: ${why}.`,
  });

const createEventResponse = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });
