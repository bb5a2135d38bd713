import { describe, expect, it } from 'vitest';
import { answers, breakable, type FakeTool, fakeServer, only } from '../../../../fixtures/mcp/fake-server.ts';
import { certain, comesOf, done, endless, isCancel, lost } from './calls.ts';
import { call, calling, open, rejection } from './open.ts';

describe('a call over the old SSE transport', () => {
  it('is lost if the stream breaks, and the next call starts another session', async () => {
    const { tool, began } = endless();
    const server = fakeServer({ kind: 'sse', tools: [tool, { ...done, name: 'read' }] });
    const streams: (() => void)[] = [];
    server.misbehave = only(
      ({ method }) => method === 'GET',
      async (_, proceed) => {
        const { response, lose } = breakable(await proceed());
        streams.push(lose);
        return response;
      },
    );
    const connection = await open(server, { transport: 'sse' });
    const calls = rejection(connection.callTool(call('write'), calling()));
    await began;
    streams[0]?.();
    expect(await calls).toEqual(lost('the connection was lost'));
    expect(await connection.callTool(call('read'), calling())).toEqual({
      content: [{ type: 'text', text: 'done' }],
    });
    expect(streams).toHaveLength(2);
  });

  it.each<[number, Error]>([
    [404, certain("MCP server 'files' did not run 'write': it answered HTTP 404.")],
    [502, lost('it answered HTTP 502')],
  ])('fails with status %i of the request that sends its message', async (status, expected) => {
    expect((await comesOf(answers(status), 'sse')).error).toEqual(expected);
  });

  it('is lost if it takes too long, and the server receives a cancellation', async () => {
    const { tool } = endless();
    const server = fakeServer({ kind: 'sse', tools: [tool] });
    const connection = await open(server, { timeout: 20 });
    const calls = connection.callTool(call('write'), calling({ signal: AbortSignal.timeout(20) }));
    expect(await rejection(calls)).toEqual(lost('it did not answer within 20 ms'));
    await server.request(isCancel);
  });

  it('fails if its stream becomes too large', async () => {
    const big: FakeTool = {
      name: 'write',
      run: () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] }),
    };
    const connection = await open(fakeServer({ kind: 'sse', tools: [big] }), { maxResponseBytes: 4_096 });
    expect(await rejection(connection.callTool(call('write'), calling()))).toEqual(
      certain(
        "The result of 'write' of MCP server 'files' is not known: it ran, and it answered with more than 4096 bytes, " +
          'which exceeds the limit.',
      ),
    );
  });
});
