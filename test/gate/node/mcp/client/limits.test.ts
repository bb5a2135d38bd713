import { describe, expect, it } from 'vitest';
import { McpServerError } from '../../../../doors/mcp.ts';
import {
  fakeServer,
  type Misbehavior,
  onlyFor,
  type RecordedRequest,
} from '../../../../fixtures/mcp/fake-server.ts';
import { doneTool, errorOfCall, eventResponse, isCall, lostError, notRunError } from './calls.ts';
import { call, callOptions, neverAborts, open, rejectionOf } from './open.ts';

const isList = ({ rpc }: RecordedRequest) => rpc === 'tools/list';

/** The result or the error of a call with this response, which may have any length. */
async function comesOfLarge(misbehave: Misbehavior) {
  const server = fakeServer({ tools: [doneTool], misbehave: onlyFor(isCall, misbehave) });
  const connection = await open(server);
  return connection.callTool(call('write'), callOptions()).catch((error: unknown) => error);
}

const tooLargeError = (more: string) =>
  notRunError(
    `The result of 'write' of MCP server 'files' is not known: it ran, and it answered with more than ${more}, which exceeds ` +
      'the limit.',
  );
const jsonResponse = (body: string) =>
  new Response(body, { headers: { 'content-type': 'application/json' } });
const streamResponse = (text: string) => eventResponse(new Response(text).body ?? new ReadableStream());
const result = { jsonrpc: '2.0', id: 1, result: { content: [] } };
const heavyBody = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"a":[${'{},'.repeat(100_001)}{}]}}`;

describe('a response that would keep the Worker busy', () => {
  it('is not read if it is a batch with more than a hundred messages', async () => {
    const batch = (size: number) => () =>
      Response.json([...Array.from({ length: size - 1 }, () => ({})), result]);
    expect(await comesOfLarge(batch(100))).toEqual({ content: [] });
    expect(await comesOfLarge(batch(101))).toEqual(tooLargeError('100 messages'));
  });

  it('is not read if it has more than two hundred thousand JSON values, in a body or an event', async () => {
    expect(await comesOfLarge(() => jsonResponse(heavyBody))).toEqual(tooLargeError('200000 parts of JSON'));
    expect(await comesOfLarge(() => streamResponse(`data: ${heavyBody}\n\n`))).toEqual(
      tooLargeError('200000 parts of JSON'),
    );
  });

  it('is lost if it arrives after ten thousand events', async () => {
    const answer = `data: ${JSON.stringify(result)}\n\n`;
    expect(await comesOfLarge(() => streamResponse('data: {}\n\n'.repeat(9_999) + answer))).toEqual({
      content: [],
    });
    expect(await comesOfLarge(() => streamResponse('data: {}\n\n'.repeat(10_000) + answer))).toEqual(
      lostError('it answered with more than 10000 events'),
    );
  });

  it('is not accepted as a list of tools', async () => {
    const server = fakeServer({ misbehave: onlyFor(isList, () => jsonResponse(heavyBody)) });
    const connection = await open(server);
    expect(await rejectionOf(connection.listTools(neverAborts()))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'list',
        message:
          "MCP server 'files' could not list its tools: it answered with more than 200000 parts of JSON.",
      }),
    );
  });
});

describe('an oversized message before the response', () => {
  const log = (data: unknown) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } })}\n\n`;

  it('is no sign that the call ran, however long it is', async () => {
    expect((await errorOfCall(() => streamResponse(log('x'.repeat(5_000))))).error).toEqual(
      lostError('it answered with more than 4096 bytes'),
    );
    expect((await errorOfCall(() => streamResponse(log('x').repeat(100)))).error).toEqual(
      lostError('it answered with more than 4096 bytes'),
    );
    const many = log(Array.from({ length: 200_001 }, () => 1));
    expect(await comesOfLarge(() => streamResponse(many))).toEqual(
      lostError('it answered with more than 200000 parts of JSON'),
    );
  });

  it('does not hide the status of the response', async () => {
    const body = 'x'.repeat(5_000);
    const headers = { 'content-length': '5000' };
    expect((await errorOfCall(() => new Response(body, { status: 502, headers }))).error).toEqual(
      lostError('it answered HTTP 502'),
    );
    expect((await errorOfCall(() => new Response(body, { status: 401, headers }))).error).toEqual(
      notRunError("MCP server 'files' does not accept the caller's credentials (HTTP 401)."),
    );
  });
});

describe('an oversized response over the old transport', () => {
  it('loses every open call, because it may belong to any of them', async () => {
    const server = fakeServer({
      kind: 'sse',
      tools: [
        { name: 'write', run: () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] }) },
        { name: 'wait', run: () => new Promise(() => undefined) },
      ],
    });
    const connection = await open(server, { transport: 'sse', maxResponseBytes: 4_096 });
    const waiting = rejectionOf(connection.callTool(call('wait'), callOptions()));
    await server.request(isCall);
    const error = await rejectionOf(connection.callTool(call('write'), callOptions()));
    expect(error).toEqual(lostError('it answered with more than 4096 bytes'));
    expect(await waiting).toMatchObject({ name: 'McpLostError' });
  });
});
