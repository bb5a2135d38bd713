/**
 * Calls of tools on MCP servers: the data sent, the results, and unknown outcomes (MCP-05, MCP-07, MCP-11).
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toolProvider } from '../../../../../src/index.ts';
import {
  allowKeys,
  type McpClientConfig,
  mcpToolProvider,
  passThrough,
} from '../../../../../src/mcp/tools/entry.ts';
import type { TestSession, TestSessionOptions } from '../../../../../src/testing/entry.ts';
import {
  type FakeServer,
  type FakeTool,
  hangForever,
  loseConnectionAfter,
  misbehaveFor,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { getLastResults } from '../../unfolding/scenes.ts';
import { countMethods, createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

interface Desk {
  readonly desk: TestSession;
  readonly server: FakeServer;
}

/** A session whose model calls this tool once, and then replies 'Done.' */
function createDesk(
  tool: FakeTool,
  config: Partial<McpClientConfig> = {},
  options: Partial<Pick<TestSessionOptions, 'context' | 'secrets' | 'warm'>> = {},
): Desk {
  const { server, client } = createScene([tool], config);
  const tools = [mcpToolProvider({ clients: [client] })];
  const name = `${config.prefix ?? ''}${tool.name}`;
  return { server, desk: createSession(tools, [requestTool(name, { note: 'red' }), 'Done.'], options) };
}

const isCall = ({ rpc }: { readonly rpc?: string }): boolean => rpc === 'tools/call';

/** The parameters of the calls that the server received. */
const callParams = ({ requests }: FakeServer): readonly Record<string, unknown>[] =>
  requests.filter(isCall).map(({ body }) => JSON.parse(body).params);

const context = { tenantId: 'acme', apiKey: 'sk-123456', locale: 'en' };

describe('the metadata of a call', () => {
  const key = { 'holdfast/idempotency-key': expect.stringMatching(/^[0-9a-f]{32}\.4\.0$/) };
  const token = { progressToken: expect.any(Number) };

  it.each([
    ['no converter', undefined, {}],
    ['allowKeys', allowKeys('tenantId', 'correlationId'), { tenantId: 'acme' }],
    ['passThrough', passThrough, context],
    ['a custom function', () => ({ from: 'holdfast' }), { from: 'holdfast' }],
  ])(
    'contains the choice of %s, the key of the call and a progress token (MCP-06, MCP-07, S0-021)',
    async (_, meta, crosses) => {
      const { desk, server } = createDesk(createSayingTool('note'), { meta }, { context });
      await desk.send('Note it');
      expect(callParams(server)).toEqual([
        { name: 'note', arguments: { note: 'red' }, _meta: { ...crosses, ...key, ...token } },
      ]);
    },
  );

  it('causes the call to fail without a request to the server if the converter throws (MCP-11)', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const thrown = new Error('no tenant');
    const meta = () => {
      throw thrown;
    };
    const { desk, server } = createDesk(createSayingTool('note'), { meta }, { context });
    await desk.send('Note it');
    expect(getLastResults(desk)).toEqual([
      "Error: MCP tool 'note' was not called: the app could not prepare the context for its server. Go on without it.",
    ]);
    expect(callParams(server)).toEqual([]);
    expect(log.mock.calls).toEqual([["holdfast: the meta converter of MCP client 'shop' threw", thrown]]);
  });

  it('contains the same key if the call runs again', async () => {
    let runs = 0;
    const note = createSayingTool('note', 'noted', {
      annotations: { idempotentHint: true },
      run: () => {
        runs += 1;
        if (runs === 1) desk.kill();
        return { content: [{ type: 'text', text: 'noted' }] };
      },
    });
    const { desk, server } = createDesk(note);
    await desk.send('Note it');
    const keys = callParams(server).map(({ _meta }) =>
      Reflect.get(Object(_meta), 'holdfast/idempotency-key'),
    );
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(getLastResults(desk)).toEqual(['noted']);
  });
});

describe('messages from a working server', () => {
  it('are shown to watchers at most ten times a second', async () => {
    const told: string[] = [];
    const work = createSayingTool('work', 'worked', {
      async run(_, { sendNotification, _meta }) {
        const progressToken = _meta?.progressToken ?? '';
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 3, message: 'half\nway' },
        });
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 2, total: 3 },
        });
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'warning', logger: 'db', data: { slow: true } },
        });
        return { content: [{ type: 'text', text: 'worked' }] };
      },
    });
    const { server, client } = createScene([work]);
    const watched = mcpToolProvider({ clients: [client] });
    const desk = createSession(
      [
        toolProvider({
          ...watched,
          toolsNow: (view) =>
            watched.toolsNow(view).map((tool) => ({
              ...tool,
              call: (input, live) =>
                tool.call(input, {
                  ...live,
                  execute: (leaf) =>
                    live.execute({
                      ...leaf,
                      run: (call) => leaf.run({ ...call, progress: (status) => void told.push(status) }),
                    }),
                }),
            })),
        }),
      ],
      [requestTool('work'), 'Done.'],
    );
    await desk.send('Work');
    expect(countMethods(server)['tools/call']).toBe(1);
    expect(told).toEqual(['half way (1/3)', '[warning] db: {"slow":true}']);
  });
});

it('an input with a default can be omitted, even if the server lists it as required', async () => {
  const inputSchema = {
    type: 'object' as const,
    properties: { note: { type: 'string' }, copies: { type: 'integer', default: 1 } },
    required: ['note', 'copies'],
  };
  const { desk, server } = createDesk(createSayingTool('note', 'noted', { inputSchema }));
  await desk.send('Note it');
  expect(getLastResults(desk)).toEqual(['noted']);
  expect(callParams(server)).toMatchObject([{ arguments: { note: 'red' } }]);
});

describe('a failed call', () => {
  it('has the server’s message as its error', async () => {
    const { desk } = createDesk(
      createSayingTool('note', '', {
        run: () => ({ isError: true, content: [{ type: 'text', text: 'The book is full.' }] }),
      }),
    );
    await desk.send('Note it');
    expect(getLastResults(desk)).toEqual(['Error: The book is full.']);
  });

  it('reports rejected credentials if its server returns 401', async () => {
    const { desk, server } = createDesk(createSayingTool('note'));
    server.misbehave = misbehaveFor(isCall, respondWith(401));
    await desk.send('Note it');
    expect(getLastResults(desk)).toEqual([
      "Error: MCP server 'shop' does not accept the caller's credentials (HTTP 401).",
    ]);
  });

  it.each([
    ['once', {}, "The outcome of this call of 'note' is unknown"],
    ['idempotent', { idempotentHint: true }, "The outcome of this call of 'note' is unknown"],
    ['read', { readOnlyHint: true }, "The connection of tool 'note' was lost before it answered."],
  ])(
    'has an unknown outcome if it was sent without a response and its effect is %s',
    async (_, annotations, words) => {
      const { desk, server } = createDesk(createSayingTool('note', 'noted', { annotations }));
      server.misbehave = misbehaveFor(isCall, loseConnectionAfter(0));
      expect(await desk.send('Note it')).toMatchObject({ outcome: 'completed' });
      expect(getLastResults(desk)[0]).toContain(words);
    },
  );

  it('closes its connection if its response is lost, and the next call connects again', async () => {
    const { server, client } = createScene([
      createSayingTool('look', 'seen', { annotations: { readOnlyHint: true } }),
    ]);
    let isFirst = true;
    server.misbehave = misbehaveFor(isCall, (request, proceed) => {
      const first = isFirst;
      isFirst = false;
      return first ? (loseConnectionAfter(0)(request, proceed) ?? proceed()) : proceed();
    });
    const desk = createSession(
      [mcpToolProvider({ clients: [client] })],
      [requestTool('look'), requestTool('look'), 'Done.'],
      {
        warm: true,
      },
    );
    await desk.send('Look');
    expect(getLastResults(desk)[1]).toBe('seen');
    expect(countMethods(server).initialize).toBe(2);
  });

  it('reports the timeout if it is a read that takes too long', async () => {
    const { desk, server } = createDesk(
      createSayingTool('note', '', { annotations: { readOnlyHint: true } }),
      {
        timeout: 20,
      },
    );
    server.misbehave = misbehaveFor(isCall, hangForever);
    await desk.send('Note it');
    expect(getLastResults(desk)).toEqual(["Error: MCP tool 'note' did not answer within 20 ms."]);
  });

  it.each(['once', 'idempotent', 'read'] as const)(
    'is cancelled by its id if it took too long, so the server can stop (%s)',
    async (effect) => {
      captureWarnings();
      const { desk, server } = createDesk(createSayingTool('note'), {
        timeout: 20,
        effects: { note: effect },
      });
      server.misbehave = misbehaveFor(isCall, hangForever);
      await desk.send('Note it');
      const cancelled = await server.request(({ rpc }) => rpc === 'notifications/cancelled');
      expect(JSON.parse(cancelled.body).params).toMatchObject({ reason: 'The call timed out.' });
    },
  );

  it('is logged if the reason is not shown elsewhere', async () => {
    const said = captureWarnings();
    const { desk, server } = createDesk(createSayingTool('note'));
    server.misbehave = misbehaveFor(isCall, loseConnectionAfter(0));
    await desk.send('Note it');
    expect(said).toEqual([
      "holdfast: MCP server 'shop' was asked to run 'note', and the connection was lost: it is unknown whether it ran. " +
        'It is at https://mcp.test.',
    ]);
  });

  it('is logged with only the origin of the address if the server cannot be reached', async () => {
    const said = captureWarnings();
    const getAddress = () => 'https://mcp.test/s/path-token/mcp?key=query-token';
    const { server, client } = createScene([createSayingTool('note')], { url: getAddress });
    const replies = [requestTool('note'), 'Done.', requestTool('note'), 'Done.'];
    const desk = createSession([mcpToolProvider({ clients: [client] })], replies);
    await desk.send('Note it');
    expect(said).toEqual([]);
    server.misbehave = respondWith(503);
    await desk.send('Note it again');
    const why = "MCP server 'shop' cannot be reached: it answered HTTP 503.";
    expect([getLastResults(desk).at(-1), said]).toEqual([
      `Error: ${why}`,
      [`holdfast: ${why} It is at https://mcp.test.`],
    ]);
  });
});

describe('the server of a turn that has ended', () => {
  it('receives the end of the session', async () => {
    const { desk, server } = createDesk(createSayingTool('note'));
    await desk.send('Note it');
    const ended = await server.request(({ method }) => method === 'DELETE');
    expect(ended.headers['mcp-session-id']).toBeDefined();
  });

  it('receives a cancellation only for a call that is cancelled with its turn', async () => {
    const hang = createSayingTool('note', '', { run: () => new Promise(() => undefined) });
    const { desk, server } = createDesk(hang);
    const sending = desk.send('Note it');
    const call = await server.request(isCall);
    await desk.cancel();
    expect(await sending).toMatchObject({ outcome: 'cancelled' });
    await server.request(({ rpc }) => rpc === 'notifications/cancelled');
    await server.request(({ method }) => method === 'DELETE');
    const cancelled = server.requests.filter(({ rpc }) => rpc === 'notifications/cancelled');
    expect(cancelled.map(({ body }) => JSON.parse(body).params)).toEqual([
      { requestId: JSON.parse(call.body).id, reason: 'The call was cancelled.' },
    ]);
  });
});
