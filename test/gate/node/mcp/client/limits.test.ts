import { describe, expect, it } from 'vitest';
import { McpServerError } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type Misbehavior,
  misbehaveFor,
  type RecordedRequest,
} from '../../../../fixtures/mcp/fake-server.ts';
import {
  catchCallError,
  createEventResponse,
  createLostError,
  createNotRunError,
  doneTool,
  isCall,
} from './calls.ts';
import { callOptions, createNeverSignal, createRemoteCall, getRejection, open } from './open.ts';

const isList = ({ rpc }: RecordedRequest) => rpc === 'tools/list';

/** The result or the error of a call with this response, which may have any length. */
async function callLarge(misbehave: Misbehavior) {
  const server = createFakeServer({ tools: [doneTool], misbehave: misbehaveFor(isCall, misbehave) });
  const connection = await open(server);
  return connection.callTool(createRemoteCall('write'), callOptions()).catch((error: unknown) => error);
}

const createTooLargeError = (more: string) =>
  createNotRunError(
    `The result of 'write' of MCP server 'files' is not known: it ran, and it answered with more than ${more}, which exceeds ` +
      'the limit.',
  );
const toJsonResponse = (body: string) =>
  new Response(body, { headers: { 'content-type': 'application/json' } });
const createStreamResponse = (text: string) =>
  createEventResponse(new Response(text).body ?? new ReadableStream());
const result = { jsonrpc: '2.0', id: 1, result: { content: [] } };
const heavyBody = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"a":[${'{},'.repeat(100_001)}{}]}}`;

describe('a response that would keep the Worker busy', () => {
  it('is not read if it is a batch with more than a hundred messages', async () => {
    const createBatchResponse = (size: number) => () =>
      Response.json([...Array.from({ length: size - 1 }, () => ({})), result]);
    expect(await callLarge(createBatchResponse(100))).toEqual({ content: [] });
    expect(await callLarge(createBatchResponse(101))).toEqual(createTooLargeError('100 messages'));
  });

  it('is not read if it has more than two hundred thousand JSON values, in a body or an event', async () => {
    expect(await callLarge(() => toJsonResponse(heavyBody))).toEqual(
      createTooLargeError('200000 parts of JSON'),
    );
    expect(await callLarge(() => createStreamResponse(`data: ${heavyBody}\n\n`))).toEqual(
      createTooLargeError('200000 parts of JSON'),
    );
  });

  it('is lost if it arrives after ten thousand events', async () => {
    const answer = `data: ${JSON.stringify(result)}\n\n`;
    expect(await callLarge(() => createStreamResponse('data: {}\n\n'.repeat(9_999) + answer))).toEqual({
      content: [],
    });
    expect(await callLarge(() => createStreamResponse('data: {}\n\n'.repeat(10_000) + answer))).toEqual(
      createLostError('it answered with more than 10000 events'),
    );
  });

  it('is not accepted as a list of tools', async () => {
    const server = createFakeServer({ misbehave: misbehaveFor(isList, () => toJsonResponse(heavyBody)) });
    const connection = await open(server);
    expect(await getRejection(connection.listTools(createNeverSignal()))).toEqual(
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
  const createLogEvent = (data: unknown) =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data } })}\n\n`;

  it('is not evidence that the call ran, regardless of its length', async () => {
    expect(
      (await catchCallError(() => createStreamResponse(createLogEvent('x'.repeat(5_000))))).error,
    ).toEqual(createLostError('it answered with more than 4096 bytes'));
    expect((await catchCallError(() => createStreamResponse(createLogEvent('x').repeat(100)))).error).toEqual(
      createLostError('it answered with more than 4096 bytes'),
    );
    const many = createLogEvent(Array.from({ length: 200_001 }, () => 1));
    expect(await callLarge(() => createStreamResponse(many))).toEqual(
      createLostError('it answered with more than 200000 parts of JSON'),
    );
  });

  it('does not hide the status of the response', async () => {
    const body = 'x'.repeat(5_000);
    const headers = { 'content-length': '5000' };
    expect((await catchCallError(() => new Response(body, { status: 502, headers }))).error).toEqual(
      createLostError('it answered HTTP 502'),
    );
    expect((await catchCallError(() => new Response(body, { status: 401, headers }))).error).toEqual(
      createNotRunError("MCP server 'files' does not accept the caller's credentials (HTTP 401)."),
    );
  });
});

describe('an oversized response over the old transport', () => {
  it('causes every open call to be lost, because it may belong to any of them', async () => {
    const server = createFakeServer({
      kind: 'sse',
      tools: [
        { name: 'write', run: () => ({ content: [{ type: 'text', text: 'x'.repeat(5_000) }] }) },
        { name: 'wait', run: () => new Promise(() => undefined) },
      ],
    });
    const connection = await open(server, { transport: 'sse', maxResponseBytes: 4_096 });
    const waiting = getRejection(connection.callTool(createRemoteCall('wait'), callOptions()));
    await server.request(isCall);
    const error = await getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
    expect(error).toEqual(createLostError('it answered with more than 4096 bytes'));
    expect(await waiting).toMatchObject({ name: 'McpLostError' });
  });
});
