import { describe, expect, it } from 'vitest';
import { McpServerError } from '../../../../doors/mcp.ts';
import {
  challengeWith,
  createFakeServer,
  type FakeServer,
  type FakeTool,
  type Misbehavior,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { createEndlessTool, createNotRunError, isCall, waitForAbort } from './calls.ts';
import { callOptions, createNeverSignal, createRemoteCall, getRejection, open } from './open.ts';

const listMethods = ({ requests }: FakeServer) => requests.map(({ method, rpc }) => rpc ?? method);
const isDiscover = ({ rpc }: RecordedRequest) => rpc === 'server/discover';
const isInitialize = ({ rpc }: RecordedRequest) => rpc === 'initialize';

function createCountingTool(more: Partial<FakeTool> = {}) {
  const runs: unknown[] = [];
  const tool: FakeTool = {
    name: 'write',
    run: (args) => {
      runs.push(args);
      return { content: [{ type: 'text', text: 'done' }] };
    },
    ...more,
  };
  return { tool, runs };
}

/** Responds to a request with this result or error. */
const respondWithRpc =
  (answer: object, status = 200): Misbehavior =>
  ({ body }) =>
    Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, ...answer }, { status });

const createUnreachableError = (why: string) =>
  new McpServerError({
    server: 'files',
    during: 'connect',
    message: `MCP server 'files' cannot be reached: ${why}.`,
  });

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'holdfast', version: '0.1.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};

describe('a server with the revision 2026-07-28', () => {
  it.each(['modern', 'both'] as const)('is called without a session (%s)', async (kind) => {
    const { tool, runs } = createCountingTool();
    const server = createFakeServer({ kind, tools: [tool] });
    const connection = await open(server, { known: 'nothing' });
    expect((await connection.listTools(createNeverSignal())).tools).toEqual([
      { name: 'write', inputSchema: { type: 'object' } },
    ]);
    await connection.callTool(createRemoteCall('write', { a: 1 }), callOptions());
    await connection.close();
    expect(listMethods(server)).toEqual(['server/discover', 'tools/list', 'tools/call']);
    expect(runs).toEqual([{ a: 1 }]);
    expect(connection.spoken).toEqual({ era: 'stateless', offers: ['tools', 'logging'] });
  });

  it('receives the revision, the method and the name in headers, and everything else in `_meta`', async () => {
    const { tool } = createCountingTool({ name: 'schreibe größer' });
    const server = createFakeServer({ kind: 'modern', tools: [tool] });
    const connection = await open(server, { known: 'nothing' });
    await connection.callTool(
      { ...createRemoteCall('schreibe größer'), meta: { tenant: 'acme' } },
      callOptions(),
    );
    const [discover, called] = server.requests;
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
    };
    expect(discover?.headers).toEqual({ ...headers, 'mcp-method': 'server/discover' });
    expect(JSON.parse(discover?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 'discover-1',
      method: 'server/discover',
      params: { _meta: ENVELOPE },
    });
    expect(called?.headers).toEqual({
      ...headers,
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('schreibe größer').toString('base64')}?=`,
    });
    expect(JSON.parse(called?.body ?? '').params._meta).toEqual({
      ...ENVELOPE,
      'io.modelcontextprotocol/logLevel': 'info',
      tenant: 'acme',
      progressToken: 1,
    });
  });

  it('receives the headers that an input schema requests, and no other such headers from the app', async () => {
    const server = createFakeServer({ kind: 'modern', tools: [createCountingTool().tool] });
    const createMirroredSchema = (type: string, name: string) => ({ type, 'x-mcp-header': name });
    const inputSchema = {
      type: 'object',
      properties: {
        region: createMirroredSchema('string', 'Region'),
        count: createMirroredSchema('integer', 'Count'),
        isNew: createMirroredSchema('boolean', 'New'),
        city: createMirroredSchema('string', 'City'),
        empty: createMirroredSchema('string', 'Empty'),
        none: createMirroredSchema('string', 'None'),
        split: createMirroredSchema('string', 'Split\r\nX-Role: admin'),
        at: { type: 'object', properties: { zone: createMirroredSchema('string', 'Zone') } },
        plain: { type: 'string' },
      },
    };
    const input = {
      region: 'eu',
      count: 7,
      isNew: false,
      city: ' Köln',
      empty: '',
      split: 'no header can have this name',
      at: { zone: 'a b' },
      plain: 'x',
    };
    const createHeaders = () => ({ 'mcp-param-region': 'us', 'mcp-method': 'no', 'x-tenant': 'acme' });
    const connection = await open(server, { known: 'nothing', headers: createHeaders });
    await connection.callTool({ ...createRemoteCall('write', input), inputSchema }, callOptions());
    const { headers: sent } = await server.request(isCall);
    expect(
      Object.fromEntries(Object.entries(sent).filter(([name]) => /^(mcp-param-|mcp-method|x-)/.test(name))),
    ).toEqual({
      'mcp-method': 'tools/call',
      'mcp-param-region': 'eu',
      'mcp-param-count': '7',
      'mcp-param-new': 'false',
      'mcp-param-city': `=?base64?${Buffer.from(' Köln').toString('base64')}?=`,
      'mcp-param-empty': '=?base64??=',
      'mcp-param-zone': 'a b',
      'x-tenant': 'acme',
    });
  });

  it('sends progress and logs', async () => {
    const told: unknown[] = [];
    const { tool } = createCountingTool({
      async run(_, { sendNotification, _meta }) {
        const progressToken = _meta?.progressToken ?? '';
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2 },
        });
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'info', data: 'Half of it.' },
        });
        return { content: [] };
      },
    });
    const connection = await open(createFakeServer({ kind: 'modern', tools: [tool] }), { known: 'nothing' });
    const recordNotice = (one: unknown) => void told.push(one);
    await connection.callTool(
      createRemoteCall('write'),
      callOptions({ progress: recordNotice, log: recordNotice }),
    );
    expect(told).toEqual([
      { progress: 1, total: 2 },
      { level: 'info', data: 'Half of it.' },
    ]);
  });

  it('receives a cancellation as the end of its stream', async () => {
    const { tool, began } = createEndlessTool();
    const server = createFakeServer({ kind: 'modern', tools: [tool] });
    const connection = await open(server, { known: 'nothing' });
    const over = new AbortController();
    const failed = getRejection(
      connection.callTool(createRemoteCall('write'), callOptions({ signal: over.signal })),
    );
    const signal = await began;
    over.abort();
    expect(await failed).toMatchObject({ name: 'McpLostError' });
    await waitForAbort(signal);
    expect(listMethods(server)).toEqual(['server/discover', 'tools/call']);
  });

  it('may send invalid tools, results without a type, and lists without a time to live', async () => {
    const good = { name: 'write', inputSchema: { type: 'object' } };
    const server = createFakeServer({
      kind: 'modern',
      misbehave: (request, proceed) =>
        request.rpc === 'tools/list'
          ? respondWithRpc({ result: { tools: [{ name: 7 }, good] } })(request, proceed)
          : request.rpc === 'tools/call'
            ? respondWithRpc({ result: { content: [{ type: 'text', text: 'done' }] } })(request, proceed)
            : undefined,
    });
    const connection = await open(server, { known: 'nothing' });
    expect(await connection.listTools(createNeverSignal())).toEqual({ tools: [good], ttl: undefined });
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual({
      content: [{ type: 'text', text: 'done' }],
    });
  });

  it('returns its tool list with the shortest time to live of the pages', async () => {
    const pages = [
      { tools: [], ttlMs: 90_000, cacheScope: 'public', nextCursor: '1' },
      { tools: [], ttlMs: 70_000, cacheScope: 'public' },
    ];
    const server = createFakeServer({
      kind: 'modern',
      misbehave: misbehaveFor(
        ({ rpc: method }) => method === 'tools/list',
        (request, proceed) =>
          respondWithRpc({ result: { resultType: 'complete', ...pages.shift() } })(request, proceed),
      ),
    });
    const connection = await open(server, { known: 'nothing' });
    expect(await connection.listTools(createNeverSignal())).toEqual({ tools: [], ttl: 70_000 });
  });

  it('can defer a call, and receives its state when the call resumes', async () => {
    const putOff = { resultType: 'input_required', requestState: 's' };
    const server = createFakeServer({
      kind: 'modern',
      misbehave: misbehaveFor(isCall, respondWithRpc({ result: putOff })),
    });
    const connection = await open(server, { known: 'nothing' });
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual({
      ...putOff,
      inputRequests: {},
    });
    const continuation = { inputResponses: { a: { action: 'decline' as const } }, requestState: 's' };
    await connection.callTool({ ...createRemoteCall('write'), continuation }, callOptions());
    expect(JSON.parse(server.requests.at(-1)?.body ?? '').params).toMatchObject(continuation);
  });

  it.each([
    [-32_020, 'The header Mcp-Param-Region is missing'],
    [-32_021, 'Sampling is required'],
    [-32_022, 'No such revision'],
  ])('has its message included in the error of a call that did not start (%i)', async (code, message) => {
    for (const status of [200, 400]) {
      const error = { code, message: `${message}.` };
      const server = createFakeServer({
        kind: 'modern',
        misbehave: misbehaveFor(isCall, respondWithRpc({ error }, status)),
      });
      const connection = await open(server, { known: 'nothing' });
      const why =
        status === 400 ? `it answered HTTP 400: ${message}` : `it answered with error ${code}: ${message}`;
      expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
        createNotRunError(`MCP server 'files' did not run 'write': ${why}.`),
      );
      expect(connection.hasChanged).toBe(code === -32_020);
    }
  });
});

describe('the detected revision of a server', () => {
  const STATELESS = { era: 'stateless', offers: ['tools'] } as const;

  it('is not requested again', async () => {
    const { tool, runs } = createCountingTool();
    const server = createFakeServer({ kind: 'modern', tools: [tool] });
    const connection = await open(server, { known: STATELESS });
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect([listMethods(server), runs.length]).toEqual([['tools/call'], 1]);
  });

  it.each(['sessions', 'stateless', 'sse'] as const)(
    'is detected again if the server now uses an older revision (%s), and the call runs once',
    async (kind) => {
      const { tool, runs } = createCountingTool();
      const server = createFakeServer({ kind, tools: [tool] });
      const connection = await open(server, { known: STATELESS });
      await connection.callTool(createRemoteCall('write'), callOptions());
      expect(runs).toHaveLength(1);
      expect(
        listMethods(server)
          .filter((method) => method !== 'GET')
          .slice(0, 3),
      ).toEqual(['tools/call', 'server/discover', 'initialize']);
      expect(connection.spoken).toEqual({ era: kind === 'sse' ? 'sse' : 'session' });
    },
  );

  it('is kept if another call, sent before the detection, is refused later', async () => {
    const { tool, runs } = createCountingTool();
    const held = Promise.withResolvers<void>();
    const server = createFakeServer({ tools: [tool] });
    server.misbehave = async ({ rpc: method, headers, body }, proceed) => {
      const isFirst = method === 'tools/call' && headers['mcp-session-id'] === undefined;
      if (isFirst && body.includes('"slow"')) await held.promise;
      return isFirst ? new Response(null, { status: 404 }) : proceed();
    };
    const connection = await open(server, { known: STATELESS });
    const slow = connection.callTool(createRemoteCall('write', { a: 'slow' }), callOptions());
    await connection.callTool(createRemoteCall('write', { a: 'fast' }), callOptions());
    held.resolve();
    await slow;
    expect([runs, connection.spoken]).toEqual([[{ a: 'fast' }, { a: 'slow' }], { era: 'session' }]);
  });

  it.each(['session', 'sse'] as const)(
    'is detected again if the server no longer has sessions (%s)',
    async (era) => {
      const { tool, runs } = createCountingTool();
      const server = createFakeServer({ kind: 'modern', tools: [tool] });
      const connection = await open(server, { known: { era } });
      await connection.callTool(createRemoteCall('write'), callOptions());
      expect(listMethods(server)).toEqual([
        era === 'sse' ? 'GET' : 'initialize',
        'server/discover',
        'tools/call',
      ]);
      expect([runs.length, connection.spoken?.era]).toEqual([1, 'stateless']);
    },
  );

  it('is detected again if a call needs a capability that is not stored', async () => {
    const server = createFakeServer({ kind: 'modern', tools: [createCountingTool().tool] });
    const known = { era: 'stateless', offers: ['resources'] } as const;
    const connection = await open(server, { known });
    const { tools } = await connection.listTools(createNeverSignal());
    expect(tools.map(({ name }) => name)).toEqual(['write']);
    expect(listMethods(server)).toEqual(['server/discover', 'tools/list']);
    expect(connection.spoken).toEqual({ era: 'stateless', offers: ['tools', 'logging'] });
    const prompts = { method: 'prompts/list', offer: 'prompts', params: {}, meta: {} } as const;
    const other = await open(server, { known: STATELESS });
    expect(await getRejection(other.request(prompts, createNeverSignal()))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'request',
        message: "MCP server 'files' has no prompts.",
      }),
    );
    expect(listMethods(server)).toEqual(['server/discover', 'tools/list', 'server/discover']);
  });

  it('is kept if a call is refused', async () => {
    const server = createFakeServer({ kind: 'modern', misbehave: misbehaveFor(isCall, respondWith(401)) });
    const connection = await open(server, { known: STATELESS });
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      createNotRunError("MCP server 'files' does not accept the caller's credentials (HTTP 401)."),
    );
    expect(listMethods(server)).toEqual(['tools/call']);
  });
});

describe("the detection of a server's revision", () => {
  it('is retried once if a server reports the rejected revision as supported', async () => {
    const { tool } = createCountingTool();
    const server = createFakeServer({ kind: 'modern', tools: [tool] });
    const data = { supported: ['2026-07-28'], requested: '2026-07-28' };
    server.misbehave = (request, proceed) => {
      server.misbehave = undefined;
      return respondWithRpc({ error: { code: -32_022, message: 'No.', data } }, 400)(request, proceed);
    };
    const connection = await open(server, { known: 'nothing' });
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect(listMethods(server)).toEqual(['server/discover', 'server/discover', 'tools/call']);
  });

  it.each<[string, Misbehavior]>([
    ['400', respondWith(400)],
    ['404', respondWith(404)],
    ['405', respondWith(405)],
    ['an error of its own', respondWithRpc({ error: { code: -32_601, message: 'Method not found' } })],
    [
      'older revisions',
      respondWithRpc({ error: { code: -32_022, message: 'No.', data: { supported: ['2025-11-25'] } } }),
    ],
    ['an invalid result', respondWithRpc({ result: {} })],
    ['500', respondWith(500)],
    ['an HTML page', respondWith(200, { body: '<p>Hello</p>', headers: { 'content-type': 'text/html' } })],
  ])('falls back to a session if a server returns %s', async (_, misbehave) => {
    const { tool, runs } = createCountingTool();
    const server = createFakeServer({ tools: [tool], misbehave: misbehaveFor(isDiscover, misbehave) });
    const connection = await open(server, { known: 'nothing' });
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect([runs.length, connection.spoken]).toEqual([1, { era: 'session' }]);
    expect(server.requests.find(isInitialize)?.headers).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
  });

  it.each([401, 403])('fails at once if the caller is not authorized (%i)', async (status) => {
    const server = createFakeServer({ misbehave: challengeWith(status) });
    const message = `MCP server 'files' does not accept the caller's credentials (HTTP ${status}).`;
    expect(await getRejection(open(server, { known: 'nothing' }))).toEqual(
      new McpServerError({ server: 'files', during: 'connect', message }),
    );
    expect(listMethods(server)).toEqual(['server/discover']);
  });

  it.each<[string, Misbehavior]>([
    [
      'an error',
      respondWithRpc(
        { error: { code: -32_022, message: 'No.', data: { supported: ['2027-03-01', '2027-09\n01'] } } },
        400,
      ),
    ],
    [
      'a result',
      respondWithRpc({ result: { supportedVersions: ['2027-03-01', '2027-09\n01'], capabilities: {} } }),
    ],
  ])('fails if the server returns %s without a known revision', async (_, misbehave) => {
    const server = createFakeServer({ misbehave });
    expect(await getRejection(open(server, { known: 'nothing' }))).toEqual(
      createUnreachableError('it speaks no supported revision of MCP, but 2027-03-01, 2027-09 01'),
    );
    expect(listMethods(server)).toEqual(['server/discover']);
  });

  it('fails with the server’s message, without confidential data', async () => {
    const error = { code: -32_000, message: 'The plan of sesame-123 has ended.\nPay.' };
    const server = createFakeServer({ misbehave: respondWithRpc({ error }, 402) });
    const createHeaders = () => ({ 'x-key': 'sesame-123' });
    expect(await getRejection(open(server, { known: 'nothing', headers: createHeaders }))).toEqual(
      createUnreachableError('it answered HTTP 402: The plan of [secret x-key] has ended. Pay'),
    );
  });
});
