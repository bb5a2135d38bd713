import { describe, expect, it, vi } from 'vitest';
import type { SessionCredentials } from '../../../../../src/kinds/entry.ts';
import { createSessionKeeper, type SessionKeeper } from '../../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeServer,
  type RecordedRequest,
} from '../../../../fixtures/mcp/fake-server.ts';
import { doneTool } from './calls.ts';
import { callOptions, createNeverSignal, createRemoteCall, open } from './open.ts';

/** Credentials of a session, stored in memory. */
function createCredentials(kept = new Map<string, string>()) {
  const credentials: SessionCredentials = {
    find: async (key) => {
      const value = kept.get(key);
      return value === undefined ? { status: 'none' } : { status: 'found', value };
    },
    keep: async (key, value) => {
      if (value === null) kept.delete(key);
      else kept.set(key, value);
      return true;
    },
  };
  return { kept, credentials };
}

const createKeeper = (credentials: SessionCredentials, caller = 'ada'): SessionKeeper =>
  createSessionKeeper(credentials, { server: 'files', caller });

const listMethods = ({ requests }: FakeServer) => requests.map(({ method, rpc }) => rpc ?? method);
const isListening = ({ method }: RecordedRequest): boolean => method === 'GET';

describe('a connection that resumes a session', () => {
  it('opens with two requests, and does not end the session when it closes', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const { credentials } = createCredentials();
    const keeper = createKeeper(credentials);
    const first = await open(server, { keeper });
    await server.request(isListening);
    await first.close();
    const before = server.requests.length;
    const counted: number[] = [];
    const connection = await open(server, { keeper, count: (requests) => counted.push(requests) });
    connection.credit(4);
    await vi.waitFor(() => expect(listMethods(server).slice(before)).toEqual(['ping', 'GET']));
    await connection.close();
    expect(listMethods(server)).not.toContain('DELETE');
    expect(counted).toEqual([]);
  });

  it('receives messages outside of the stream of a request', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const { credentials } = createCredentials();
    const first = await open(server, { keeper: createKeeper(credentials) });
    await server.request(isListening);
    await first.close();
    const connection = await open(server, { keeper: createKeeper(credentials) });
    expect((await connection.listTools(createNeverSignal())).tools).toHaveLength(1);
    await expect
      .poll(async () => {
        await server.sendToolListChanged();
        return connection.hasChanged;
      })
      .toBe(true);
  });

  it('cancels its calls with the ids that the server received', async () => {
    const began = Promise.withResolvers<AbortSignal>();
    const server = createFakeServer({
      tools: [
        {
          name: 'write',
          run: (_, { signal }) => {
            began.resolve(signal);
            return new Promise(() => undefined);
          },
        },
      ],
    });
    const { credentials } = createCredentials();
    await (await open(server, { keeper: createKeeper(credentials) })).close();
    const connection = await open(server, { keeper: createKeeper(credentials) });
    const stop = new AbortController();
    const calls = connection.callTool(createRemoteCall('write'), callOptions({ signal: stop.signal }));
    const signal = await began.promise;
    stop.abort();
    await expect(calls).rejects.toThrow('the turn stopped waiting');
    await vi.waitFor(() => expect(signal.aborted).toBe(true));
  });

  it('provides its id and the server’s info to programs', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const { kept, credentials } = createCredentials();
    await open(server, { keeper: createKeeper(credentials) });
    await server.request(isListening);
    const [value = ''] = kept.values();
    expect(JSON.parse(value)).toEqual({
      id: server.requests.at(-1)?.headers['mcp-session-id'],
      begun: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, logging: {} },
        serverInfo: { name: 'fake', version: '1.0.0' },
      },
      isLost: false,
    });
  });

  it('ends the session if it could not be stored', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const { credentials } = createCredentials();
    const keeper = createKeeper({ ...credentials, keep: async () => false });
    const connection = await open(server, { keeper });
    expect(await connection.consumeSessionLoss()).toBe(false);
    await connection.close();
    expect(listMethods(server)).toContain('DELETE');
  });

  it('ends the session if the server’s info is too large to store', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    server.misbehave = async (request, proceed) => {
      const response = await proceed();
      if (request.rpc !== 'initialize') return response;
      const said = (await response.text()).replace('"logging":{}', `"logging":{"x":"${'x'.repeat(20_000)}"}`);
      return new Response(said, response);
    };
    const { kept, credentials } = createCredentials();
    await (await open(server, { keeper: createKeeper(credentials) })).close();
    expect(listMethods(server)).toContain('DELETE');
    expect([...kept]).toEqual([]);
  });
});

describe('a stored session', () => {
  it.each(['stateless', 'modern', 'both', 'sse'] as const)(
    'is missing for a server without sessions, and is not reported as lost: %s',
    async (kind) => {
      const server = createFakeServer({ tools: [doneTool], kind });
      const { kept, credentials } = createCredentials();
      for (let times = 0; times < 2; times += 1) {
        const connection = await open(server, { keeper: createKeeper(credentials) });
        expect(await connection.consumeSessionLoss()).toBe(false);
        await connection.close();
      }
      expect([...kept]).toEqual([]);
    },
  );

  it.each(['', 'null', '{"id":1}', '{"id":"abcdefgh"}', '{"begun":{}}'])(
    'is lost if it is unreadable: %j',
    async (value) => {
      const { kept, credentials } = createCredentials();
      const session = { id: 'abcdefgh', begun: {} };
      await createKeeper(credentials).keep(session, false);
      expect(await createKeeper(credentials).find()).toEqual({ session, isLost: false });
      for (const key of kept.keys()) kept.set(key, value);
      expect(await createKeeper(credentials).find()).toEqual({ isLost: true });
    },
  );

  it('is reported as lost until a model has seen the report', async () => {
    const server = createFakeServer({ tools: [doneTool] });
    const { credentials } = createCredentials();
    await (await open(server, { keeper: createKeeper(credentials) })).close();
    server.forgetSessions();
    await (await open(server, { keeper: createKeeper(credentials) })).close();
    const connection = await open(server, { keeper: createKeeper(credentials) });
    expect([await connection.consumeSessionLoss(), await connection.consumeSessionLoss()]).toEqual([
      true,
      false,
    ]);
    await connection.close();
    expect(await (await open(server, { keeper: createKeeper(credentials) })).consumeSessionLoss()).toBe(
      false,
    );
  });

  it('is private to its principal; another principal starts without it', async () => {
    const { credentials } = createCredentials();
    expect(await createKeeper(credentials).find()).toEqual({ isLost: false });
    await createKeeper(credentials).keep({ id: 'abcdefgh', begun: {} }, false);
    expect(await createKeeper(credentials, 'bob').find()).toEqual({ isLost: true });
    const other = createSessionKeeper(credentials, { server: 'another', caller: 'ada' });
    expect(await other.find()).toEqual({ isLost: false });
  });
});

it('a session is kept, and not ended, if it is being stored when its connection closes', async () => {
  const server = createFakeServer({ tools: [doneTool] });
  const { kept, credentials } = createCredentials();
  const begun = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const keeper = createKeeper({
    ...credentials,
    keep: async (key, value) => {
      begun.resolve();
      await goesOn.promise;
      return credentials.keep(key, value);
    },
  });
  const stop = new AbortController();
  const opening = open(server, { keeper, signal: stop.signal });
  opening.catch(() => undefined);
  await begun.promise;
  stop.abort();
  goesOn.resolve();
  await expect(opening).rejects.toThrow('the turn stopped waiting');
  expect(listMethods(server)).not.toContain('DELETE');
  expect(kept.size).toBe(2);
});
