import { describe, expect, it } from 'vitest';
import { McpServerError } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeTool,
  hangForever,
  type Misbehavior,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createNeverSignal, getRejection, open } from './open.ts';

const createFakeTool = (name: string): FakeTool => ({ name, run: () => ({ content: [] }) });
const createNumberedTools = (count: number) =>
  Array.from({ length: count }, (_, at) => createFakeTool(`t${at}`));
const isList = ({ rpc }: RecordedRequest) => rpc === 'tools/list';

const createListError = (why: string) =>
  new McpServerError({
    server: 'files',
    during: 'list',
    message: `MCP server 'files' could not list its tools: ${why}.`,
  });

/** The error of a list request to which the server responds in this way. */
async function expectListingError(misbehave: Misbehavior, connectTimeout?: number) {
  const connection = await open(
    createFakeServer({ tools: [createFakeTool('a')], misbehave: misbehaveFor(isList, misbehave) }),
    {
      connectTimeout,
    },
  );
  return getRejection(connection.listTools(createNeverSignal()));
}

/** Responds to every list request with this result. */
const respondWithList =
  (result: (request: RecordedRequest) => object): Misbehavior =>
  (request) =>
    Response.json({ jsonrpc: '2.0', id: JSON.parse(request.body).id, result: result(request) });

/**
 * Responds with two tools. The schema of the first is nested so deeply that recursive code overflows the
 * stack.
 */
const respondDeeply: Misbehavior = ({ body }) => {
  const nested = `${'{"items":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
  const tools = `{"name":"deep","inputSchema":{"type":"object","properties":{"a":${nested}}}},{"name":"flat","inputSchema":{"type":"object"}}`;
  const text = `{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":{"resultType":"complete","tools":[${tools}]}}`;
  return new Response(text, { headers: { 'content-type': 'application/json' } });
};

describe('the tools of a server', () => {
  it('are the tools of all its pages, in the order of the server', async () => {
    const server = createFakeServer({ tools: createNumberedTools(7), pageSize: 3 });
    const connection = await open(server);
    const { tools } = await connection.listTools(createNeverSignal());
    expect(tools.map(({ name }) => name)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6']);
    expect(server.requests.filter(isList).map(({ body }) => JSON.parse(body).params)).toEqual([
      {},
      { cursor: '3' },
      { cursor: '6' },
    ]);
  });

  it('are listed without a tool that is nested too deeply to inspect', async () => {
    const modern = { capabilities: { tools: {} }, serve: () => {} };
    const server = createFakeServer({
      kind: 'modern',
      modern,
      misbehave: misbehaveFor(isList, respondDeeply),
    });
    const connection = await open(server, { known: 'nothing' });
    const { tools } = await connection.listTools(createNeverSignal());
    expect(tools.map(({ name }) => name)).toEqual(['flat']);
  });

  it('include all fields that the server sends', async () => {
    const told = {
      name: 'read',
      title: 'Read',
      description: 'Reads.',
      inputSchema: { type: 'object' as const, properties: { path: { type: 'string' } }, required: ['path'] },
      outputSchema: { type: 'object' as const, properties: { text: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    };
    const connection = await open(createFakeServer({ tools: [{ ...told, run: () => ({ content: [] }) }] }));
    expect((await connection.listTools(createNeverSignal())).tools).toEqual([told]);
  });

  it('are empty if the server has no tools capability, and no list is requested', async () => {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'x', version: '1' },
    };
    const misbehave = misbehaveFor(
      ({ rpc }) => rpc === 'initialize',
      respondWithList(() => result),
    );
    const server = createFakeServer({ kind: 'stateless', misbehave });
    const connection = await open(server);
    expect((await connection.listTools(createNeverSignal())).tools).toEqual([]);
    expect(server.requests.some(isList)).toBe(false);
  });

  it('include only well-formed tools', async () => {
    const good = { name: 'good', inputSchema: { type: 'object' } };
    const tools = [{ name: 'bad' }, null, good, { name: 7, inputSchema: { type: 'object' } }];
    const connection = await open(
      createFakeServer({
        misbehave: misbehaveFor(
          isList,
          respondWithList(() => ({ tools })),
        ),
      }),
    );
    expect((await connection.listTools(createNeverSignal())).tools).toEqual([good]);
  });

  it('can exceed the number that a session stores, because the caller applies that limit', async () => {
    const connection = await open(createFakeServer({ tools: createNumberedTools(1_001), pageSize: 300 }));
    expect((await connection.listTools(createNeverSignal())).tools).toHaveLength(1_001);
  });
});

describe('an abandoned list request', () => {
  it('is cancelled on the server without the reason', async () => {
    const server = createFakeServer({
      tools: [createFakeTool('a')],
      misbehave: misbehaveFor(isList, hangForever),
    });
    const connection = await open(server);
    const over = new AbortController();
    const listed = getRejection(connection.listTools(over.signal));
    await server.request(isList);
    over.abort(new Error('planted'));
    expect(await listed).toEqual(createListError('the turn stopped waiting'));
    const cancelled = await server.request(({ rpc }) => rpc === 'notifications/cancelled');
    expect(JSON.parse(cancelled.body).params).toEqual({
      requestId: 1,
      reason: 'The list is not waited for.',
    });
  });
});

describe('an unreadable list', () => {
  it('is refused if its pages together exceed the size limit of a response', async () => {
    let page = 0;
    const inputSchema = { type: 'object', description: 'x'.repeat(500) };
    const server = createFakeServer({
      misbehave: misbehaveFor(
        isList,
        respondWithList(() => ({ tools: [{ name: `t${page}`, inputSchema }], nextCursor: String(++page) })),
      ),
    });
    const connection = await open(server, { maxResponseBytes: 2_048 });
    expect(await getRejection(connection.listTools(createNeverSignal()))).toEqual(
      createListError('its list is longer than 2048 characters'),
    );
    expect(page).toBe(4);
  });

  it('is refused if it has more than twenty pages', async () => {
    let page = 0;
    const error = await expectListingError(
      respondWithList(() => ({ tools: [], nextCursor: String(++page) })),
    );
    expect(error).toEqual(createListError('it has more than 20 pages'));
    expect(page).toBe(20);
  });

  it('is refused if its pages form a cycle', async () => {
    let page = 0;
    const error = await expectListingError(
      respondWithList(() => ({ tools: [], nextCursor: String(++page % 2) })),
    );
    expect(error).toEqual(createListError('its pages form a loop'));
    expect(page).toBe(3);
  });

  it.each<[string, Misbehavior]>([
    ['it answered HTTP 500', respondWith(500, { body: 'planted' })],
    ['it answered HTTP 404', respondWith(404)],
    ['its answer is not MCP', respondWith(202)],
    ['the connection was lost', () => Promise.reject(new TypeError('planted'))],
  ])('leads to the error that %s', async (why, misbehave) => {
    expect(await expectListingError(misbehave)).toEqual(createListError(why));
  });

  it('leads to an error about rejected credentials', async () => {
    expect(await expectListingError(respondWith(401))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'list',
        message: "MCP server 'files' does not accept the caller's credentials (HTTP 401).",
      }),
    );
  });

  it('leads to an error with the server’s message', async () => {
    const error = await expectListingError((request) =>
      Response.json({
        jsonrpc: '2.0',
        id: JSON.parse(request.body).id,
        error: { code: -32603, message: 'Broken' },
      }),
    );
    expect(error).toEqual(createListError('it answered with error -32603: Broken'));
  });

  it('is abandoned after the connect timeout', async () => {
    expect(await expectListingError(hangForever, 50)).toEqual(
      createListError('it did not answer within 50 ms'),
    );
  });

  it('is abandoned when the caller no longer waits', async () => {
    const server = createFakeServer({ misbehave: misbehaveFor(isList, hangForever) });
    const connection = await open(server);
    const over = new AbortController();
    const listed = getRejection(connection.listTools(over.signal));
    await server.request(isList);
    over.abort();
    expect(await listed).toEqual(createListError('the turn stopped waiting'));
  });
});

describe('a server whose tools change', () => {
  it('is marked as changed until its tools are listed again', async () => {
    const server = createFakeServer({ tools: [createFakeTool('a')] });
    const connection = await open(server);
    await connection.listTools(createNeverSignal());
    expect(connection.hasChanged).toBe(false);
    await server.request(({ method }) => method === 'GET');
    server.tools = [createFakeTool('a'), createFakeTool('b')];
    await server.sendToolListChanged();
    await expect.poll(() => connection.hasChanged).toBe(true);
    expect((await connection.listTools(createNeverSignal())).tools).toHaveLength(2);
    expect(connection.hasChanged).toBe(false);
  });

  it('is also marked by a message on the stream of a call, and over the old transport', async () => {
    const changing: FakeTool = {
      name: 'change',
      run: async (_, { sendNotification }) => {
        await sendNotification({ method: 'notifications/tools/list_changed' });
        return { content: [] };
      },
    };
    for (const kind of ['sessions', 'stateless', 'sse'] as const) {
      const connection = await open(createFakeServer({ kind, tools: [changing] }));
      await connection.callTool({ name: 'change', input: {}, meta: {} }, callOptions());
      await expect.poll(() => connection.hasChanged).toBe(true);
    }
  });

  it('stays marked if its tools could not be listed', async () => {
    const server = createFakeServer({ tools: [createFakeTool('a')] });
    const connection = await open(server);
    await server.request(({ method }) => method === 'GET');
    await server.sendToolListChanged();
    await expect.poll(() => connection.hasChanged).toBe(true);
    server.misbehave = misbehaveFor(isList, respondWith(500));
    await getRejection(connection.listTools(createNeverSignal()));
    expect(connection.hasChanged).toBe(true);
  });
});
