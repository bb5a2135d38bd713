import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fetch } from '../../../../../src/mcp/tools/entry.ts';
import { McpLostError, McpServerError } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeServer,
  type FakeTool,
  hangForever,
  makeBreakable,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createNeverSignal, createRemoteCall, getRejection, open } from './open.ts';

const isCall = ({ rpc }: RecordedRequest) => rpc === 'tools/call';
const isResume = ({ headers }: RecordedRequest) => headers['last-event-id'] !== undefined;
const listMethods = ({ requests }: FakeServer) => requests.map(({ method, rpc }) => rpc ?? method);

function createCountingTool() {
  const runs: unknown[] = [];
  const tool: FakeTool = {
    name: 'write',
    run: (args) => {
      runs.push(args);
      return { content: [{ type: 'text', text: 'done' }] };
    },
  };
  return { tool, runs };
}

const DONE_RESULT = { content: [{ type: 'text', text: 'done' }] };

describe('a session that no longer exists on the server', () => {
  it('is restarted for a call, which is sent once more and runs once', async () => {
    const { tool, runs } = createCountingTool();
    const server = createFakeServer({ tools: [tool] });
    const connection = await open(server);
    server.forgetSessions();
    expect(await connection.callTool(createRemoteCall('write', { a: 1 }), callOptions())).toEqual(
      DONE_RESULT,
    );
    expect(runs).toEqual([{ a: 1 }]);
    expect(listMethods(server).filter((method) => method !== 'GET')).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
    const [, again] = server.requests.filter(({ rpc }) => rpc === 'initialize');
    expect(again?.headers).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
  });

  it('is restarted for a list request', async () => {
    const server = createFakeServer({ tools: [createCountingTool().tool] });
    const connection = await open(server);
    server.forgetSessions();
    expect((await connection.listTools(createNeverSignal())).tools).toHaveLength(1);
  });

  it('is restarted once for all running calls', async () => {
    const { tool, runs } = createCountingTool();
    const server = createFakeServer({ tools: [tool] });
    const connection = await open(server);
    server.forgetSessions();
    const calls = [1, 2, 3].map((a) => connection.callTool(createRemoteCall('write', { a }), callOptions()));
    expect(await Promise.all(calls)).toEqual([DONE_RESULT, DONE_RESULT, DONE_RESULT]);
    expect(runs).toHaveLength(3);
    expect(listMethods(server).filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('is restarted at most once per call', async () => {
    const server = createFakeServer({
      tools: [createCountingTool().tool],
      misbehave: misbehaveFor(isCall, respondWith(404)),
    });
    const connection = await open(server);
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'call',
        message: "MCP server 'files' did not run 'write': it answered HTTP 404.",
      }),
    );
    expect(listMethods(server).filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('is reported if it cannot be restarted, and the next call tries again', async () => {
    const server = createFakeServer({ tools: [createCountingTool().tool] });
    const connection = await open(server);
    server.forgetSessions();
    server.misbehave = misbehaveFor(({ rpc }) => rpc === 'initialize', respondWith(503));
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'connect',
        message: "MCP server 'files' cannot be reached: it answered HTTP 503.",
      }),
    );
    server.misbehave = undefined;
    expect(await connection.callTool(createRemoteCall('write'), callOptions())).toEqual(DONE_RESULT);
  });

  it('still delivers the response of a call that runs in it', async () => {
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const slow: FakeTool = {
      name: 'slow',
      run: async () => {
        began.resolve();
        await gate.promise;
        return { content: [] };
      },
    };
    const server = createFakeServer({ tools: [slow, createCountingTool().tool] });
    const connection = await open(server);
    const running = connection.callTool(createRemoteCall('slow'), callOptions());
    await began.promise;
    server.forgetSessions();
    await connection.callTool(createRemoteCall('write'), callOptions());
    gate.resolve();
    expect(await running).toEqual({ content: [] });
  });
});

describe('a broken stream', () => {
  /**
   * A server whose tool loses its stream `times` times before it returns. Each loss follows a message that
   * the client has received.
   */
  function createLosingServer(times: number, options: { readonly resumable: boolean }) {
    const runs: unknown[] = [];
    const streams = Array.from({ length: times + 1 }, () => Promise.withResolvers<() => void>());
    let opened = 0;
    const heard = streams.map(() => Promise.withResolvers<void>());
    const logs: unknown[] = [];
    const log = ({ data }: { readonly data: unknown }): void => heard[logs.push(data) - 1]?.resolve();
    const tool: FakeTool = {
      name: 'write',
      run: async (_, { sendNotification }) => {
        runs.push(1);
        for (let lost = 0; lost < times; lost++) {
          await sendNotification({ method: 'notifications/message', params: { level: 'info', data: lost } });
          const lose = await streams[lost]?.promise;
          await heard[lost]?.promise;
          lose?.();
        }
        await streams[times]?.promise; // Never resolves if the client does not resume the stream.
        return { content: [{ type: 'text', text: 'done' }] };
      },
    };
    const server = createFakeServer({ tools: [tool], resumable: options.resumable, retryInterval: 5 });
    server.misbehave = misbehaveFor(
      (request) => isCall(request) || isResume(request),
      async (_, proceed) => {
        const { response, lose } = makeBreakable(await proceed());
        streams[opened++]?.resolve(lose);
        return response;
      },
    );
    return { server, runs, logs, log };
  }

  it('is resumed after the last event, and the call does not run again', async () => {
    const { server, runs, logs, log } = createLosingServer(2, { resumable: true });
    const connection = await open(server);
    const answer = await connection.callTool(createRemoteCall('write'), callOptions({ log }));
    expect(logs).toEqual([0, 1]);
    expect(answer).toEqual(DONE_RESULT);
    expect(runs).toHaveLength(1);
    const resumes = server.requests.filter(isResume);
    expect(resumes.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect(resumes[0]?.headers).toEqual({
      accept: 'text/event-stream',
      'last-event-id': expect.stringMatching(/^\d+$/),
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': server.requests[1]?.headers['mcp-session-id'],
    });
  });

  it('is lost if its events have no ids', async () => {
    const { server, log } = createLosingServer(1, { resumable: false });
    const connection = await open(server);
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions({ log })))).toEqual(
      createLostError('the connection was lost'),
    );
    expect(server.requests.filter(isResume)).toEqual([]);
  });

  it.each([
    [404, 1],
    [500, 4],
  ])('is lost if its resumption returns %i, after at most %i attempts', async (status, times) => {
    const events = 'id: 7\nretry: 1\ndata:\n\n';
    const server = createFakeServer();
    server.misbehave = (request, proceed) => {
      if (isCall(request)) return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
      return isResume(request) ? new Response(null, { status }) : proceed();
    };
    const connection = await open(server);
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      createLostError('it ended its answer before there was a result'),
    );
    expect(server.requests.filter(isResume)).toHaveLength(times);
  });

  it('is resumed at most four times, even if each part ends without an error', async () => {
    const events = 'id: 7\nretry: 1\ndata:\n\n';
    const server = createFakeServer();
    server.misbehave = misbehaveFor(
      (request) => isCall(request) || isResume(request),
      () => new Response(events, { headers: { 'content-type': 'text/event-stream' } }),
    );
    const connection = await open(server);
    expect(await getRejection(connection.callTool(createRemoteCall('write'), callOptions()))).toEqual(
      createLostError('it ended its answer before there was a result'),
    );
    expect(server.requests.filter(isResume)).toHaveLength(4);
  });

  it('is awaited no longer than the timeout of the call, even if the server requests a longer delay', async () => {
    const events = 'id: 7\nretry: 3600000\ndata:\n\n';
    const server = createFakeServer();
    server.misbehave = misbehaveFor(
      isCall,
      () => new Response(events, { headers: { 'content-type': 'text/event-stream' } }),
    );
    const connection = await open(server, { timeout: 50 });
    const calls = connection.callTool(
      createRemoteCall('write'),
      callOptions({ signal: AbortSignal.timeout(50) }),
    );
    expect(await getRejection(calls)).toEqual(createLostError('it did not answer within 50 ms'));
  });

  it('is opened again if it is the standalone listening stream', async () => {
    const server = createFakeServer({
      tools: [createCountingTool().tool],
      resumable: true,
      retryInterval: 1,
    });
    let streams = 0;
    server.misbehave = misbehaveFor(
      ({ method }) => method === 'GET',
      async (_, proceed) => {
        if (++streams > 1) return proceed();
        return new Response('retry: 1\n\n', { headers: { 'content-type': 'text/event-stream' } });
      },
    );
    const connection = await open(server);
    await expect.poll(() => streams).toBe(2);
    await expect
      .poll(async () => {
        await server.sendToolListChanged();
        return connection.hasChanged;
      })
      .toBe(true);
  });

  it('is abandoned after ten seconds if it is the standalone stream and does not open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = createFakeServer({
      misbehave: misbehaveFor(({ method }) => method === 'GET', hangForever),
    });
    const given = Promise.withResolvers<AbortSignal | null | undefined>();
    const fetch: Fetch = (url, init) => {
      if (init?.method === 'GET') given.resolve(init.signal);
      return server.fetch(url, init);
    };
    await open({ url: server.url, fetch });
    const signal = await given.promise;
    vi.advanceTimersByTime(9_999);
    expect(signal?.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal?.aborted).toBe(true);
  });

  it('is not opened again after its connection has closed', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const server = createFakeServer();
    server.misbehave = misbehaveFor(
      ({ method }) => method === 'GET',
      () => new Response('retry: 7654321\n\n', { headers: { 'content-type': 'text/event-stream' } }),
    );
    const connection = await open(server);
    await vi.waitFor(() => expect(timers).toHaveBeenCalledWith(expect.any(Function), 7_654_321), 20_000);
    await connection.close();
    const next = await open(server);
    await next.listTools(createNeverSignal()); // This takes many more steps than the next request for a stream would.
    const ofNext = server.requests.at(-1)?.headers['mcp-session-id'];
    const gets = server.requests.filter(({ method }) => method === 'GET');
    expect(gets.filter(({ headers }) => headers['mcp-session-id'] !== ofNext)).toHaveLength(1);
  });

  it('is opened at most four times', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = createFakeServer();
    let streams = 0;
    server.misbehave = misbehaveFor(
      ({ method }) => method === 'GET',
      () => {
        const body = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 1000\n\n')),
          pull(controller) {
            controller.close();
            streams += 1;
          },
        });
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
      },
    );
    await open(server);
    while (streams < 4) await vi.advanceTimersByTimeAsync(1_000);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(listMethods(server).filter((method) => method === 'GET')).toHaveLength(4);
  });
});

const createLostError = (why: string) =>
  new McpLostError(`MCP server 'files' was asked to run 'write', and ${why}: it is unknown whether it ran.`);
