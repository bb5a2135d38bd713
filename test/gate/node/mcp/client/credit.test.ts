import { ClientCredentialsProvider } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createCredit } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeServerOptions,
  misbehaveFor,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { doneTool } from './calls.ts';
import { callOptions, createNeverSignal, createRemoteCall, getRejection, open } from './open.ts';

/** An open connection to this server, and the number of requests that were counted beyond its claims. */
async function openCounted(options: FakeServerOptions = {}) {
  const server = createFakeServer({ tools: [doneTool], ...options });
  const counted: number[] = [];
  const connection = await open(server, {
    count: (subrequests) => counted.push(subrequests),
    ...(options.kind === 'sse' && { known: { era: 'sse' } }),
  });
  if (options.kind !== 'sse') await server.request(({ method }) => method === 'GET');
  return { server, connection, counted: () => counted.reduce((sum, one) => sum + one, 0) };
}

describe('the requests of a connection', () => {
  it.each(['sessions', 'sse'] as const)('are covered by the claim that opens it (%s)', async (kind) => {
    const { server, connection, counted } = await openCounted({ kind });
    const opening = server.requests.length;
    connection.credit(opening + 1);
    await connection.listTools(createNeverSignal());
    expect(counted()).toBe(0);
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect(counted()).toBe(1);
    expect(server.requests).toHaveLength(opening + 2);
  });

  it('are counted as soon as the claim is too small', async () => {
    const { server, connection, counted } = await openCounted();
    connection.credit(1);
    expect(counted()).toBe(server.requests.length - 1);
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect(counted()).toBe(server.requests.length - 1);
  });

  it('are counted without a claim if they exceed the requests of a usual opening', async () => {
    const server = createFakeServer({ misbehave: respondWith(401) });
    let counted = 0;
    const createOauthProvider = () =>
      new ClientCredentialsProvider({
        clientId: 'a',
        clientSecret: 'secret',
        expectedIssuer: 'https://auth.test',
      });
    await getRejection(open(server, { oauth: createOauthProvider, count: (more) => (counted += more) }));
    expect(server.requests.length).toBeGreaterThan(4);
    expect(counted).toBe(server.requests.length - 4);
  });

  it('include the resumption of a stream, a response to the server and the end of the session', async () => {
    const stream = 'id: 7\nretry: 1\ndata:\n\n';
    const { server, connection, counted } = await openCounted({
      misbehave: misbehaveFor(
        ({ rpc, headers }) => rpc === 'tools/call' || headers['last-event-id'] !== undefined,
        () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } }),
      ),
    });
    connection.credit(server.requests.length);
    const before = server.requests.length;
    await getRejection(connection.callTool(createRemoteCall('write'), callOptions()));
    await connection.close();
    expect(server.requests.length - before).toBe(6);
    expect(counted()).toBe(6);
  });
});

describe('a redirect', () => {
  it('counts as a separate request', async () => {
    const { server, connection, counted } = await openCounted();
    connection.credit(server.requests.length);
    let isFirst = true;
    server.misbehave = misbehaveFor(
      ({ rpc }) => rpc === 'tools/call',
      (_, proceed) => {
        const headers = { location: server.url };
        const answer = isFirst ? new Response(null, { status: 307, headers }) : proceed();
        isFirst = false;
        return answer;
      },
    );
    await connection.callTool(createRemoteCall('write'), callOptions());
    expect(counted()).toBe(2);
  });
});

describe('a credit', () => {
  it('is added to earlier credit, and is used before any request is counted', () => {
    let counted = 0;
    const credit = createCredit((more) => {
      counted += more;
    });
    credit.add(2);
    credit.add(1);
    for (let times = 0; times < 5; times++) credit.use();
    expect(counted).toBe(2);
  });
});
