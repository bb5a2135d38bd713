import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Fetch } from '../../../../../src/mcp/tools/entry.ts';
import { McpServerError } from '../../../../doors/mcp.ts';
import { waitForPromises } from '../../../../doors/testing.ts';
import {
  createFakeServer,
  hangForever,
  misbehaveFor,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { createEndlessTool, createNotRunError, isCancel } from './calls.ts';
import {
  callOptions,
  createCaller,
  createNeverSignal,
  createRemoteCall,
  getRejection,
  open,
} from './open.ts';

const echo = {
  name: 'echo',
  run: (args: Record<string, unknown>) => ({
    content: [{ type: 'text' as const, text: JSON.stringify(args) }],
  }),
};

/** A timeout of this many ms that expires when the test triggers it. */
function holdTimeout(ms: number) {
  const over = new AbortController();
  const real = AbortSignal.timeout.bind(AbortSignal);
  const made = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((wanted) => (wanted === ms ? over.signal : real(wanted)));
  onTestFinished(() => made.mockRestore());
  return { isOver: () => over.abort(new DOMException('The time is over.', 'TimeoutError')) };
}

/** The JSON-RPC methods of the requests, or their HTTP methods. */
const listMethods = (requests: readonly RecordedRequest[]) =>
  requests.map(({ method, rpc }) => rpc ?? method);

describe('the opening of a connection', () => {
  it('reports a missing secret without the configured name, which may be the secret itself, and sends no request', async () => {
    const server = createFakeServer();
    const error = await getRejection(
      open(server, { bearer: 'lemur_4711', as: createCaller({ OTHER: 'x' }) }),
    );
    const message =
      "MCP server 'files' needs the secret that its `bearer` names, which this caller does not have.";
    expect(error).toEqual(new McpServerError({ server: 'files', during: 'connect', message }));
    expect(server.requests).toEqual([]);
  });

  it('does not quote a secret that a header cannot contain', async () => {
    const as = createCaller({ TOKEN: 'planted\nsecret' });
    const error = await getRejection(open(createFakeServer(), { bearer: 'TOKEN', as }));
    expect(error).toEqual(createUnreachableError('its headers cannot be sent'));
    expect(error).not.toHaveProperty('cause');
  });

  it.each([
    ['headers', { headers: fail }],
    ['URL', { url: fail }],
    ['OAuth provider', { oauth: fail }],
  ])('reports the thrown error as the cause if the function for the %s throws', async (what, config) => {
    const error = await getRejection(open(createFakeServer(), config));
    expect(error).toEqual(createUnreachableError(`its ${what} could not be made`));
    expect(error).toMatchObject({ cause: new Error('planted') });
  });

  it.each([
    ['http://mcp.example.com/mcp', 'its URL does not begin with https:'],
    ['https://ada:secret@mcp.example.com/', 'its URL holds credentials'],
    ['https://169.254.169.254/latest', 'its URL points to a private network'],
    ['https://localhost/mcp', 'its URL points to a private network'],
    ['mcp.example.com', 'its URL is not an http(s) URL'],
    ['ftp://mcp.example.com/', 'its URL is not an http(s) URL'],
  ])('does not send a request to the address %s if the address comes from data', async (url, why) => {
    const server = createFakeServer();
    const error = await getRejection(open(server, { url: () => url }));
    expect(error).toEqual(createUnreachableError(why));
    expect(server.requests).toEqual([]);
  });

  it('sends requests without credentials to a private address from data if the client allows that', async () => {
    await open(createFakeServer(), { url: () => 'http://localhost:3000/mcp', allowPrivate: true });
    const error = await getRejection(
      open(createFakeServer(), { url: () => 'http://a:b@localhost/', allowPrivate: true }),
    );
    expect(error).toEqual(createUnreachableError('its URL holds credentials'));
  });

  it('sends requests to a private address that is in the code', async () => {
    const server = createFakeServer({ url: 'http://localhost:3000/mcp' });
    await open(server);
    expect(server.requests[0]?.url).toBe('http://localhost:3000/mcp');
  });
});

describe('the close of a connection', () => {
  it('ends the session once, and later calls are refused', async () => {
    const server = createFakeServer({ tools: [echo] });
    const connection = await open(server);
    await connection.close();
    await connection.close();
    expect(listMethods(server.requests).filter((method) => method === 'DELETE')).toEqual(['DELETE']);
    expect(await getRejection(connection.callTool(createRemoteCall('echo'), callOptions()))).toEqual(
      new McpServerError({
        server: 'files',
        during: 'call',
        message: "MCP server 'files' did not run 'echo': the connection is closed.",
      }),
    );
  });

  it('takes at most a second if the server does not respond, and does not throw', async () => {
    const server = createFakeServer();
    const connection = await open(server);
    server.misbehave = hangForever;
    const timeout = holdTimeout(1_000);
    const closing = connection.close();
    await vi.waitFor(() => expect(listMethods(server.requests)).toContain('DELETE'), 20_000);
    timeout.isOver();
    await closing;
  });

  it('does not throw if the server refuses to end the session', async () => {
    const server = createFakeServer();
    const connection = await open(server);
    server.misbehave = respondWith(405);
    expect(await connection.close()).toBeUndefined();
  });
});

const createUnreachableError = (why: string) =>
  new McpServerError({
    server: 'files',
    during: 'connect',
    message: `MCP server 'files' cannot be reached: ${why}.`,
  });

function fail(): never {
  throw new Error('planted');
}

describe('a restarted server', () => {
  it.each(['call', 'list'] as const)(
    'may return 400 for its old session: the %s is not sent again, but the next one starts a new session',
    async (what) => {
      const server = createFakeServer({ tools: [{ ...echo, name: 'write' }] });
      const connection = await open(server);
      const old = server.requests.findLast(({ headers }) => headers['mcp-session-id'])?.headers;
      const isOfOld = ({ headers }: RecordedRequest) => headers['mcp-session-id'] === old?.['mcp-session-id'];
      server.misbehave = misbehaveFor(isOfOld, respondWith(400));
      const ask = () =>
        what === 'call'
          ? connection.callTool(createRemoteCall('write'), callOptions())
          : connection.listTools(createNeverSignal());
      const before = server.requests.length;
      expect(await getRejection(ask())).toEqual(
        what === 'call'
          ? createNotRunError("MCP server 'files' did not run 'write': it answered HTTP 400.")
          : new McpServerError({
              server: 'files',
              during: 'list',
              message: "MCP server 'files' could not list its tools: it answered HTTP 400.",
            }),
      );
      expect(server.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1);
      await ask();
      expect(listMethods(server.requests.slice(before)).filter((one) => one === 'initialize')).toHaveLength(
        1,
      );
    },
  );
});

describe('a connection that closes right after a cancelled call', () => {
  it.each(['stateless', 'sse', 'sessions'] as const)(
    'sends the cancellation before it closes (%s)',
    async (kind) => {
      const { tool, began } = createEndlessTool();
      const server = createFakeServer({ kind, tools: [tool] });
      const isDelivered = Promise.withResolvers<boolean>();
      const over = Promise.withResolvers<boolean>();
      const fetch: Fetch = async (url, init) => {
        if (!String(init?.body).includes('notifications/cancelled')) return server.fetch(url, init);
        // The network is slow, but the request ends if its signal aborts.
        init?.signal?.addEventListener('abort', () => over.resolve(false));
        isDelivered.resolve(over.promise);
        return (await over.promise) ? server.fetch(url, init) : Response.error();
      };
      const connection = await open(
        { url: server.url, fetch },
        { transport: kind === 'sse' ? 'sse' : undefined },
      );
      const cancel = new AbortController();
      const calls = getRejection(
        connection.callTool(createRemoteCall('write'), callOptions({ signal: cancel.signal })),
      );
      await began;
      cancel.abort();
      await calls;
      const closing = connection.close();
      await waitForPromises();
      over.resolve(true);
      await closing;
      expect(await isDelivered.promise).toBe(true);
      expect(server.requests.filter(isCancel)).toHaveLength(1);
      const order = listMethods(server.requests).filter((one) => /cancelled|DELETE/.test(one));
      expect(order).toEqual(['notifications/cancelled', ...(kind === 'sessions' ? ['DELETE'] : [])]);
    },
  );

  it('waits at most a second', async () => {
    const { tool, began } = createEndlessTool();
    const server = createFakeServer({
      kind: 'stateless',
      tools: [tool],
      misbehave: misbehaveFor(isCancel, hangForever),
    });
    const connection = await open(server);
    const cancel = new AbortController();
    const calls = getRejection(
      connection.callTool(createRemoteCall('write'), callOptions({ signal: cancel.signal })),
    );
    await began;
    cancel.abort();
    await calls;
    const timeout = holdTimeout(1_000);
    const closing = connection.close();
    await vi.waitFor(() => expect(server.requests.filter(isCancel)).toHaveLength(1), 20_000);
    timeout.isOver();
    await closing;
  });
});
