import { describe, expect, it } from 'vitest';
import {
  createFakeServer,
  type FakeTool,
  makeBreakable,
  misbehaveFor,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import {
  catchCallError,
  createEndlessTool,
  createLostError,
  createNotRunError,
  doneTool,
  isCancel,
} from './calls.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

describe('a call over the old SSE transport', () => {
  it('is lost if the stream breaks, and the next call starts another session', async () => {
    const { tool, began } = createEndlessTool();
    const server = createFakeServer({ kind: 'sse', tools: [tool, { ...doneTool, name: 'read' }] });
    const streams: (() => void)[] = [];
    server.misbehave = misbehaveFor(
      ({ method }) => method === 'GET',
      async (_, proceed) => {
        const { response, lose } = makeBreakable(await proceed());
        streams.push(lose);
        return response;
      },
    );
    const connection = await open(server, { transport: 'sse' });
    const calls = getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
    await began;
    streams[0]?.();
    expect(await calls).toEqual(createLostError('the connection was lost'));
    expect(await connection.callTool(createRemoteCall('read'), callOptions())).toEqual({
      content: [{ type: 'text', text: 'done' }],
    });
    expect(streams).toHaveLength(2);
  });

  it.each<[number, Error]>([
    [404, createNotRunError("MCP server 'files' did not run 'write': it answered HTTP 404.")],
    [502, createLostError('it answered HTTP 502')],
  ])('fails with status %i of the request that sends its message', async (status, expected) => {
    expect((await catchCallError(respondWith(status), 'sse')).error).toEqual(expected);
  });

  it('is lost if it takes too long, and the server receives a cancellation', async () => {
    const { tool } = createEndlessTool();
    const server = createFakeServer({ kind: 'sse', tools: [tool] });
    const connection = await open(server, { timeout: 20 });
    const calls = connection.callTool(
      createRemoteCall('write'),
      callOptions({ signal: AbortSignal.timeout(20) }),
    );
    expect(await getRejection(calls)).toEqual(createLostError('it did not answer within 20 ms'));
    await server.request(isCancel);
  });

  it('fails if its stream becomes too large', async () => {
    const big: FakeTool = {
      name: 'write',
      run: () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] }),
    };
    const connection = await open(createFakeServer({ kind: 'sse', tools: [big] }), {
      maxResponseBytes: 4_096,
    });
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      createNotRunError(
        "The result of 'write' of MCP server 'files' is not known: it ran, and it answered with more than 4096 bytes, " +
          'which exceeds the limit.',
      ),
    );
  });
});
