import { McpError, type ServerNotification } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import {
  challengeWith,
  createFakeServer,
  type FakeTool,
  forbidWith,
  hangForever,
  loseConnectionAfter,
  misbehaveFor,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import {
  catchCallError,
  createEndlessTool,
  createEventResponse,
  createLostError,
  createNotRunError,
  doneTool,
  isCall,
  isCancel,
  waitForAbort,
} from './calls.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

describe('a response', () => {
  it('is returned unchanged, even if it is an error', async () => {
    const answer = {
      content: [
        { type: 'text' as const, text: 'no such file' },
        { type: 'image' as const, data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { code: 2 },
      isError: true,
      _meta: { 'x/y': 1 },
    };
    const connection = await open(createFakeServer({ tools: [{ name: 'write', run: () => answer }] }));
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual(answer);
  });

  it('is returned to its own call if several calls run', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: FakeTool = {
      name: 'write',
      run: async ({ at }) => {
        await gates[Number(at)]?.promise;
        return { content: [{ type: 'text', text: String(at) }] };
      },
    };
    const connection = await open(createFakeServer({ tools: [slow] }));
    const [first, second] = [0, 1].map((at) =>
      connection.callTool(createRemoteCall('write', { at }), callOptions()),
    );
    gates[1]?.resolve();
    expect((await second)?.content).toEqual([{ type: 'text', text: '1' }]);
    gates[0]?.resolve();
    expect((await first)?.content).toEqual([{ type: 'text', text: '0' }]);
  });

  it('can be part of a batch or arrive on the standalone listening stream', async () => {
    const result = { jsonrpc: '2.0', id: 1, result: { content: [] } };
    const ended = Promise.withResolvers<void>();
    const respondSilently = () => createEventResponse(new ReadableStream({ cancel: () => ended.resolve() }));
    const batch = await open(
      createFakeServer({
        misbehave: misbehaveFor(isCall, () => Response.json([{ ...result, id: 77 }, 'x', result])),
      }),
    );
    expect(await batch.callTool(createRemoteCall('write'), callOptions())).toEqual({ content: [] });
    const listening = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    const server = createFakeServer();
    server.misbehave = (request, proceed) => {
      if (request.method === 'GET')
        return createEventResponse(new ReadableStream({ start: listening.resolve }));
      return isCall(request) ? respondSilently() : proceed();
    };
    const connection = await open(server);
    const answer = connection.callTool(createRemoteCall('write'), callOptions());
    await server.request(isCall);
    (await listening.promise).enqueue(new TextEncoder().encode(`data: ${JSON.stringify(result)}\n\n`));
    expect(await answer).toEqual({ content: [] });
    await ended.promise;
  });

  it('closes its stream even if the server does not end the stream', async () => {
    const ended = Promise.withResolvers<void>();
    const result = { jsonrpc: '2.0', id: 1, result: { content: [] } };
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(result)}\n\n`)),
      cancel: () => ended.resolve(),
    });
    const misbehave = misbehaveFor(
      isCall,
      () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
    const connection = await open(createFakeServer({ misbehave }));
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual({ content: [] });
    await ended.promise;
  });
});

describe('a call that certainly did not run', () => {
  it.each([400, 404, 413, 429])('fails if the server returns %i', async (status) => {
    const { error } = await catchCallError(respondWith(status, { body: 'planted' }), 'stateless');
    expect(error).toEqual(
      createNotRunError(`MCP server 'files' did not run 'write': it answered HTTP ${status}.`),
    );
  });

  it.each([401, 403])(
    'reports rejected credentials if the server returns %i and requests credentials',
    async (status) => {
      const { error } = await catchCallError(challengeWith(status));
      expect(error).toEqual(
        createNotRunError(`MCP server 'files' does not accept the caller's credentials (HTTP ${status}).`),
      );
    },
  );

  it('reports the server’s message if the server returns 403 without a request for credentials', async () => {
    const { error } = await catchCallError(forbidWith('Your plan has no writes.'));
    expect(error).toEqual(
      createNotRunError(
        "MCP server 'files' did not run 'write': it answered HTTP 403: Your plan has no writes.",
      ),
    );
  });

  it.each([-32700, -32600, -32601, -32602, -32042])(
    'reports the server’s message if the server returns error %i, which means that the call did not start',
    async (code) => {
      expect(await getErrorOutcome(code)).toEqual(
        createNotRunError(`MCP server 'files' did not run 'write': it answered with error ${code}: No.`),
      );
    },
  );

  it('fails if the server redirects to another origin', async () => {
    const { error, server } = await catchCallError(
      respondWith(307, { headers: { location: 'https://evil.test/' } }),
    );
    expect(error).toEqual(
      createNotRunError("MCP server 'files' did not run 'write': it redirects to https://evil.test."),
    );
    expect(server.requests.filter(({ url }) => url !== server.url)).toEqual([]);
  });

  it('fails if it is cancelled before its request is sent', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const connection = await open(server);
    const signal = AbortSignal.abort(new Error('planted'));
    expect(
      await getRejection(connection.callTool(createRemoteCall('write'), callOptions({ signal }))),
    ).toEqual(createNotRunError("MCP server 'files' did not run 'write': the call was cancelled before."));
    expect(server.requests.some(isCall)).toBe(false);
  });

  it('shows at most 80 characters of the tool name in its error', async () => {
    const connection = await open(createFakeServer());
    const error = await getRejection(connection.callTool(createRemoteCall('x'.repeat(200)), callOptions()));
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^MCP server 'files' did not run 'x{79}…': it answered with error -32602: /,
      ),
    });
  });
});

describe('a call that ran', () => {
  it.each([-32603, -32002, 7])('fails if the server returns error %i', async (code) => {
    expect(await getErrorOutcome(code)).toEqual(
      createNotRunError(
        `The call of 'write' of MCP server 'files' failed: it answered with error ${code}: No.`,
      ),
    );
  });

  it('fails if its response exceeds the size limit of the client, as JSON or as an event stream', async () => {
    const big = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      result: { content: [{ type: 'text', text: 'x'.repeat(5_000) }] },
    });
    const types = { 'application/json': big, 'text/event-stream': `data: ${big}\n\n` };
    for (const [type, body] of Object.entries(types)) {
      const { error } = await catchCallError(() => new Response(body, { headers: { 'content-type': type } }));
      expect(error).toEqual(
        createNotRunError(
          "The result of 'write' of MCP server 'files' is not known: it ran, and it answered with more than 4096 bytes, " +
            'which exceeds the limit.',
        ),
      );
    }
  });

  it('fails if its response is not a tool result', async () => {
    const result = { content: 'planted' };
    const { error } = await catchCallError(() => Response.json({ jsonrpc: '2.0', id: 1, result }));
    expect(error).toEqual(
      createNotRunError(
        "The result of 'write' of MCP server 'files' is not known: it ran, and the server's answer is not a tool result.",
      ),
    );
  });
});

describe('a call with an unknown outcome', () => {
  it.each([-32000, -32001])('is lost if the server returns error %i', async (code) => {
    expect(await getErrorOutcome(code)).toEqual(createLostError(`it answered with error ${code}: No`));
  });

  it.each([301, 302, 303])(
    'is lost if the server redirects with %i, because the result may be at the target',
    async (status) => {
      const { error } = await catchCallError(respondWith(status, { headers: { location: '/results/7' } }));
      expect(error).toEqual(createLostError('it redirects to https://mcp.test'));
    },
  );

  it.each([408, 500, 502, 503, 504])('is lost if the server returns %i', async (status) => {
    expect((await catchCallError(respondWith(status))).error).toEqual(
      createLostError(`it answered HTTP ${status}`),
    );
  });

  it('has the same mark as a lost connection of the platform', () => {
    expect(createLostError('x')).toMatchObject({ name: 'McpLostError', retryable: true });
  });

  it('is lost if the network fails while the request is sent', async () => {
    const { error } = await catchCallError(() => Promise.reject(new TypeError('planted')));
    expect(error).toEqual(createLostError('the connection was lost'));
  });

  it('is lost if the connection breaks in the middle of the response', async () => {
    expect((await catchCallError(loseConnectionAfter(10))).error).toEqual(
      createLostError('the connection was lost'),
    );
  });

  it.each(['sessions', 'stateless'] as const)(
    'is lost at once if the stream ends without a result (%s)',
    async (kind) => {
      const { error } = await catchCallError(
        () => new Response(': nothing\n\n', { headers: { 'content-type': 'text/event-stream' } }),
        kind,
      );
      expect(error).toEqual(createLostError('it ended its answer before there was a result'));
    },
  );

  it('is lost if its response belongs to another request or is not JSON', async () => {
    for (const body of ['{"jsonrpc":"2.0","id":77,"result":{}}', '{"jsonrpc"', '[]', 'null']) {
      const { error } = await catchCallError(
        () => new Response(body, { headers: { 'content-type': 'application/json' } }),
      );
      expect(error).toEqual(createLostError('it ended its answer before there was a result'));
    }
  });

  it('is lost if its response is not MCP', async () => {
    expect((await catchCallError(respondWith(202))).error).toEqual(createLostError('its answer is not MCP'));
  });

  it('is lost if it takes too long, and the server receives a cancellation', async () => {
    const { tool, began } = createEndlessTool();
    const server = createFakeServer({ tools: [tool] });
    const connection = await open(server, { timeout: 30 });
    const calls = connection.callTool(
      createRemoteCall('write'),
      callOptions({ signal: AbortSignal.timeout(30) }),
    );
    expect(await getRejection(calls)).toEqual(createLostError('it did not answer within 30 ms'));
    const cancelled = await server.request(isCancel);
    expect(JSON.parse(cancelled.body).params).toEqual({ requestId: 1, reason: 'The call timed out.' });
    await waitForAbort(await began);
  });

  it('is lost if it is cancelled, and the server receives a cancellation without the reason', async () => {
    const { tool, began } = createEndlessTool();
    const server = createFakeServer({ tools: [tool] });
    const connection = await open(server);
    const over = new AbortController();
    const calls = getRejection(
      connection.callTool(createRemoteCall('write'), callOptions({ signal: over.signal })),
    );
    const signal = await began;
    over.abort(new Error('planted'));
    expect(await calls).toEqual(createLostError('the turn stopped waiting'));
    const cancelled = await server.request(isCancel);
    expect(JSON.parse(cancelled.body).params).toEqual({ requestId: 1, reason: 'The call was cancelled.' });
    await waitForAbort(signal);
  });

  it('closes its stream if it is lost, even if the server does not end the stream', async () => {
    const ended = Promise.withResolvers<void>();
    const misbehave = misbehaveFor(isCall, () =>
      createEventResponse(new ReadableStream({ cancel: () => ended.resolve() })),
    );
    const connection = await open(createFakeServer({ misbehave }));
    await getRejection(
      connection.callTool(createRemoteCall('write'), callOptions({ signal: AbortSignal.timeout(20) })),
    );
    await ended.promise;
  });

  it('is lost if the server does not respond', async () => {
    const server = createFakeServer({ misbehave: misbehaveFor(isCall, hangForever) });
    const connection = await open(server, { timeout: 20 });
    const calls = connection.callTool(
      createRemoteCall('write'),
      callOptions({ signal: AbortSignal.timeout(20) }),
    );
    expect(await getRejection(calls)).toEqual(createLostError('it did not answer within 20 ms'));
  });

  it('is lost if the connection closes while it runs', async () => {
    const { tool, began } = createEndlessTool();
    // If the server ended its session, it would also end its responses. The order of the two is random.
    const misbehave = misbehaveFor(({ method }) => method === 'DELETE', respondWith(405));
    const connection = await open(createFakeServer({ tools: [tool], misbehave }));
    const calls = getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
    await began;
    await connection.close();
    expect(await calls).toEqual(createLostError('the connection was lost'));
  });
});

/** The error of a call if the server returns this code. */
async function getErrorOutcome(code: number): Promise<unknown> {
  const refuse: FakeTool = {
    name: 'write',
    run: () => {
      throw new McpError(code, 'No.');
    },
  };
  const connection = await open(createFakeServer({ tools: [refuse] }));
  return getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
}

describe('text that a server streams before its result', () => {
  const createStreamingTool = (...content: readonly object[]): FakeTool => ({
    name: 'tell',
    async run({ isAll }, { sendNotification }) {
      for (const block of content) {
        const params = { toolName: 'tell', content: [block] };
        const notification = { method: 'notifications/tool/streamContent', params };
        await sendNotification(notification as unknown as ServerNotification); // This notification is not part of MCP.
      }
      return { content: isAll ? [{ type: 'text', text: 'All of it.' }] : [] };
    },
  });
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const tool = createStreamingTool(
    { type: 'text', text: 'Cook the ' },
    { type: 'text', text: 'beans.' },
    image,
    {
      type: 7,
    },
  );

  it('becomes the result if the result is empty, and its text chunks are joined', async () => {
    const connection = await open(createFakeServer({ tools: [tool] }));
    expect(await connection.callTool(createRemoteCall('tell'), callOptions())).toEqual({
      content: [{ type: 'text', text: 'Cook the beans.' }, image],
    });
  });

  it('is dropped if the result contains all of it', async () => {
    const connection = await open(createFakeServer({ tools: [tool] }));
    expect(await connection.callTool(createRemoteCall('tell', { isAll: true }), callOptions())).toEqual({
      content: [{ type: 'text', text: 'All of it.' }],
    });
  });
});
