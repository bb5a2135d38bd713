/** The messages between any client and the endpoint. */
import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { mcpDescription } from '../../../../../src/mcp/server/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { cors } from '../../../../../src/modules/http/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { advanceTime } from '../../../../fixtures/held-time.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { createTestApp } from '../../http/app.ts';
import { readJson } from '../../http/client.ts';
import { createEndpointApp, createRpcRequest, postMcp, readMessages, requestAnswer } from './talk.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });
const via = createEndpointApp({ tools: [hello], name: 'greeter', version: '2.1', instructions: 'Be kind.' });

const createProblem = (type: string, status: number, detail: string) => ({
  type: `urn:holdfast:problem:${type}`,
  title: type.replaceAll('-', ' '),
  status,
  detail,
});

const NO_PLANNER_TEXT =
  "MODEL is 'offline', which runs in development only, as orOffline(openaiCompatible()) from 'holdfast/models/offline'." +
  ' Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to the name of the model there.';

const createRpcError = (code: number, message: string) => ({
  jsonrpc: '2.0',
  error: { code, message },
  id: null,
});

const NO_MESSAGE_ERROR = createRpcError(
  -32600,
  'Bad Request: the request body is not a valid JSON-RPC message',
);

describe('POST /mcp', () => {
  it('describes the endpoint in response to initialize', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const response = await postMcp(via, createRpcRequest('initialize', params));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{16}$/);
    expect(await readMessages(response)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { logging: {}, tools: {} },
          serverInfo: { name: 'greeter', version: '2.1' },
          instructions: 'Be kind.',
        },
      },
    ]);
  });

  it.each([
    {},
    { protocolVersion: 7, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    { protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1' } },
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } },
  ])('reports a missing field of initialize: %j', async (params) => {
    const response = await postMcp(via, createRpcRequest('initialize', params, 'a'));
    const message =
      '`initialize` must have a string `protocolVersion`, `capabilities`, and a `clientInfo` with a name and a version.';
    expect([response.status, await readJson(response)]).toEqual([
      400,
      { ...createRpcError(-32602, message), id: 'a' },
    ]);
  });

  it('accepts notifications, and responds to pings, without a session', async () => {
    const taken = await postMcp(via, { jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([taken.status, await taken.text()]).toEqual([202, '']);
    expect(await requestAnswer(via, 'ping')).toEqual({});
  });

  it('accepts a cancellation, although it cannot reach a request', async () => {
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await postMcp(via, body)).status).toBe(202);
  });

  it('responds to each request of a batch', async () => {
    const call = createRpcRequest('tools/call', { name: 'hello' }, 'b');
    const messages = await readMessages(await postMcp(via, [createRpcRequest('ping', {}, 'a'), call]));
    expect(new Map(messages.map(({ id, result }) => [id, result]))).toEqual(
      new Map<unknown, unknown>([
        ['a', {}],
        ['b', { content: [{ type: 'text', text: 'Hello.' }] }],
      ]),
    );
  });

  it('returns a batch as JSON to a client that accepts only JSON', async () => {
    const batch = [createRpcRequest('ping', {}, 'a'), createRpcRequest('ping', {}, 'b')];
    const response = await postMcp(via, batch, { headers: { accept: 'application/json' } });
    expect(await response.json()).toEqual([
      { jsonrpc: '2.0', id: 'a', result: {} },
      { jsonrpc: '2.0', id: 'b', result: {} },
    ]);
  });

  it.each([[[]], [[createRpcRequest('ping', {}, 2)]]])(
    'refuses a batch that contains initialize and %j',
    async (others) => {
      const response = await postMcp(via, [createRpcRequest('initialize', {}, 1), ...others]);
      const message = 'A batch cannot contain `initialize`. Send it in its own request.';
      expect([response.status, await readJson(response)]).toEqual([400, createRpcError(-32600, message)]);
    },
  );

  it.each([
    ['two calls', [2, 0]],
    ['the maximum number of calls', [20, 0]],
    ['two calls among others', [2, 3]],
  ])('refuses a batch of %s, and does not run any of them', async (_, [calls = 0, pings = 0]) => {
    const run = vi.fn(() => 'Ran.');
    const counted = createEndpointApp({
      tools: [defineTool({ name: 'count', description: 'Counts.', run })],
      agents: ['scripted'],
    });
    const createBatchCall = (index: number) =>
      index === 0
        ? createRpcRequest('tools/call', { name: 'count' }, index)
        : createRpcRequest('tools/call', { name: 'scripted', arguments: { message: 'Hello' } }, index);
    const batch = [
      ...Array.from({ length: calls }, (_unused, index) => createBatchCall(index)),
      ...Array.from({ length: pings }, (_unused, index) => createRpcRequest('ping', {}, `p${index}`)),
    ];
    const response = await postMcp(counted, `\r\n ${JSON.stringify(batch)}`);
    const message =
      'A batch can have only one of tools/call, resources/read, resources/list, prompts/get, completion/complete, but this one ' +
      `has ${calls}. Send each in its own request.`;
    expect([response.status, await readJson(response)]).toEqual([400, createRpcError(-32600, message)]);
    expect(run).not.toHaveBeenCalled();
  });

  it.each(['prompts/get', 'completion/complete', 'resources/list'])(
    'refuses a batch in which %s and another request run app code',
    async (method) => {
      const response = await postMcp(via, [
        createRpcRequest(method, {}, 1),
        createRpcRequest('tools/call', { name: 'hello' }, 2),
      ]);
      const message =
        'A batch can have only one of tools/call, resources/read, resources/list, prompts/get, completion/complete, but this one ' +
        'has 2. Send each in its own request.';
      expect([response.status, await readJson(response)]).toEqual([400, createRpcError(-32600, message)]);
    },
  );

  it('refuses a batch of more than 20 messages, since each lists all published items', async () => {
    const createListRequests = (length: number) =>
      Array.from({ length }, (_, id) => createRpcRequest('tools/list', {}, id));
    const refused = await postMcp(via, createListRequests(21));
    expect([refused.status, await readJson(refused)]).toEqual([
      400,
      createRpcError(-32600, 'A batch can have at most 20 messages, but this one has 21.'),
    ]);
    expect(await readMessages(await postMcp(via, createListRequests(20)))).toHaveLength(20);
  });

  it.each<[string, Record<string, string>, number, unknown]>([
    [
      'a client that accepts no JSON and no event stream',
      { accept: 'text/html, application/xml;q=0.9' },
      406,
      createRpcError(
        -32000,
        'Not Acceptable: the response is application/json or text/event-stream. Send Accept: application/json, ' +
          'text/event-stream.',
      ),
    ],
    [
      'a body with another media type',
      { 'content-type': 'text/plain' },
      415,
      createRpcError(-32000, 'Unsupported Media Type: Content-Type must be application/json'),
    ],
    [
      'an unsupported version',
      { 'mcp-protocol-version': '1999-01-01' },
      400,
      createRpcError(
        -32000,
        'Bad Request: Unsupported protocol version: 1999-01-01 (supported versions: 2025-11-25, 2025-06-18, ' +
          '2025-03-26, 2024-11-05, 2024-10-07)',
      ),
    ],
  ])('refuses %s', async (_, headers, status, error) => {
    const response = await postMcp(via, createRpcRequest('ping'), { headers });
    expect([response.status, await readJson(response)]).toEqual([status, error]);
  });

  it.each([
    ['invalid JSON', '{"jsonrpc":', createRpcError(-32700, 'Parse error: Invalid JSON')],
    ['empty', '', createRpcError(-32700, 'Parse error: Invalid JSON')],
    ['not JSON-RPC', '{"method":"ping"}', NO_MESSAGE_ERROR],
    [
      'a message with a list as params',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      { ...NO_MESSAGE_ERROR, id: 1 },
    ],
  ])('refuses a body that is %s', async (_, body, error) => {
    const response = await postMcp(via, body);
    expect([response.status, await readJson(response)]).toEqual([400, error]);
  });

  it('refuses a body that is larger than the app allows, even if it declares another length', async () => {
    const small = createEndpointApp({ tools: [hello] }, { http: { maxBodyBytes: 100 } });
    const response = await postMcp(
      small,
      createRpcRequest('tools/call', { name: 'hello', arguments: { a: 'x'.repeat(99) } }),
    );
    expect([response.status, await readJson(response)]).toEqual([
      413,
      createProblem('body-too-large', 413, 'The body is larger than 100 bytes. Send less.'),
    ]);
  });

  it('accepts a body as large as the app allows', async () => {
    const large = createEndpointApp({ tools: [hello] }, { http: { maxBodyBytes: 6_000_000 } });
    const input = { pad: 'x'.repeat(5_000_000) };
    expect(await requestAnswer(large, 'tools/call', { name: 'hello', arguments: input })).toEqual({
      content: [{ type: 'text', text: 'Hello.' }],
    });
  });

  it.each(['resources/list', 'completion/complete', 'sampling/createMessage', 'toString'])(
    'has no method %s',
    async (method) => {
      expect(await requestAnswer(via, method)).toEqual({
        error: { code: -32601, message: 'Method not found' },
      });
    },
  );

  it('accepts a log level, and refuses an invalid one', async () => {
    expect(await requestAnswer(via, 'logging/setLevel', { level: 'warning' })).toEqual({});
    expect(await requestAnswer(via, 'logging/setLevel', { level: 'loud' })).toEqual({
      error: {
        code: -32602,
        message: '`level` must be one of debug, info, notice, warning, error, critical, alert, emergency.',
      },
    });
  });
});

describe('/mcp', () => {
  it.each(['DELETE', 'PUT'])('does not support %s', async (method) => {
    const response = await via('/mcp', { method, headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, GET, HEAD']);
    expect(await readJson(response)).toEqual(
      createProblem('method-not-allowed', 405, 'Use POST, GET, HEAD.'),
    );
  });

  it('returns no stream to GET without a call', async () => {
    const response = await via('/mcp', { headers: { accept: 'text/event-stream' } });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await readJson(response)).toEqual(
      createProblem(
        'method-not-allowed',
        405,
        'Use POST here. A GET resumes the broken stream of a call, and needs the id of its last event as ' +
          'Last-Event-ID.',
      ),
    );
  });

  it('does not exist if the app publishes no agent or tool', async () => {
    const response = await postMcp(createTestApp({}), createRpcRequest('ping'));
    expect([response.status, (await readJson(response)).type]).toEqual([
      404,
      'urn:holdfast:problem:unknown-route',
    ]);
    expect(await readJson(await createTestApp({})('/'))).not.toHaveProperty('mcp');
    expect(
      (await readJson(await createTestApp({ use: [openApi()] })('/openapi.json'))).paths,
    ).not.toHaveProperty('/mcp');
  });

  it('is linked from the app’s entry routes', async () => {
    expect(await readJson(await via('/'))).toMatchObject({ mcp: '/mcp' });
    const described = createEndpointApp(
      { tools: [hello] },
      { use: [openApi({ descriptions: [mcpDescription] })] },
    );
    const { paths } = await readJson(await described('/openapi.json'));
    expect(Object(Object(paths)['/mcp']).post.summary).toBe(
      'Accepts messages of the Model Context Protocol (streamable HTTP)',
    );
  });

  it('refuses a page on another site, and accepts one of the app’s own', async () => {
    const mine = createEndpointApp({ tools: [hello] }, { use: [cors({ origins: ['https://app.example'] })] });
    const evil = await postMcp(mine, createRpcRequest('ping'), {
      headers: { origin: 'https://evil.example' },
    });
    expect([evil.status, (await readJson(evil)).type]).toEqual([403, 'urn:holdfast:problem:cross-site']);
    const own = await postMcp(mine, createRpcRequest('ping'), { headers: { origin: 'https://app.example' } });
    expect(own.status).toBe(200);
  });

  it('requires a token like every route', async () => {
    const guarded = createEndpointApp({ tools: [hello] }, {}, { HOLDFAST_TOKEN: 'right-token' });
    const response = await postMcp(guarded, createRpcRequest('ping'));
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect((await readJson(response)).type).toBe('urn:holdfast:problem:unauthorized');
    const headers = { authorization: 'Bearer right-token' };
    expect((await postMcp(guarded, createRpcRequest('ping'), { headers })).status).toBe(200);
    const stranger = await postMcp(guarded, createRpcRequest('ping'), {
      headers: { authorization: 'Bearer wrong-token' },
    });
    expect(stranger.status).toBe(401);
  });

  it('refuses other hosts while it is open on localhost', async () => {
    const response = await via('https://rebound.example/mcp', {
      method: 'POST',
      headers: { origin: 'https://rebound.example' },
      body: '{}',
    });
    expect([response.status, (await readJson(response)).type]).toEqual([
      403,
      'urn:holdfast:problem:only-localhost',
    ]);
  });
});

describe('a failure inside the Worker', () => {
  it('is logged under the id of the request, and hidden from the client', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = createEndpointApp(
      { tools: [hello] },
      {
        secrets: () => {
          throw new Error('the vault at 10.0.0.7 is down');
        },
      },
    );
    const response = await postMcp(broken, createRpcRequest('tools/call', { name: 'hello' }));
    const id = response.headers.get('x-request-id');
    expect(await readMessages(response)).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32603,
          message: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
        },
      },
    ]);
    expect(log.mock.calls).toEqual([
      [`holdfast: request ${id} failed`, new Error('the vault at 10.0.0.7 is down')],
    ]);
    log.mockRestore();
  });

  it('is reported after half a minute if a hook hangs', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const minting = Promise.withResolvers<void>();
    const createSecrets = (): Promise<never> => {
      minting.resolve();
      return new Promise(() => {});
    };
    const answer = requestAnswer(
      createEndpointApp({ tools: [hello] }, { secrets: createSecrets }),
      'tools/call',
      {
        name: 'hello',
      },
    );
    await minting.promise;
    advanceTime(30_000);
    expect(await answer).toEqual({
      error: { code: -32603, message: '`secrets` did not return within 30000 ms.' },
    });
    log.mockRestore();
  });

  it('is reported if its cause is a wrong setting, because the developer must see it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const wrong = createEndpointApp({ tools: [hello] }, { context: () => ({ since: (() => 1) as never }) });
    expect(await requestAnswer(wrong, 'tools/call', { name: 'hello' })).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('context') },
    });
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it('is reported at each request if the deployment is wrong, and logged once as over HTTP', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const bare = { ...scripted, name: 'bare', model: undefined };
    const wrong = createEndpointApp(
      { agents: [bare] },
      { agents: [bare], model: openaiCompatible() },
      { MODEL: 'offline' },
    );
    const callBare = () =>
      requestAnswer(wrong, 'tools/call', { name: 'bare', arguments: { message: 'Hello' } });
    const told = { error: { code: -32603, message: NO_PLANNER_TEXT } };
    expect([await callBare(), await callBare()]).toEqual([told, told]);
    expect(log.mock.calls).toEqual([[`holdfast: ${NO_PLANNER_TEXT}`]]);
    log.mockRestore();
  });
});

it('an endpoint does not publish agents of the app that it does not list', async () => {
  const { tools } = Object(await requestAnswer(createEndpointApp({ agents: [scripted] }), 'tools/list'));
  expect(tools.map(({ name }: { readonly name: string }) => name)).toEqual(['scripted']);
});
