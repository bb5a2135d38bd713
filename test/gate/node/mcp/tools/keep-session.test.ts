/** Servers with state in their sessions, and clients that keep these sessions. */
import { describe, expect, it } from 'vitest';
import { runAgent } from '../../../../../src/in-memory/entry.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { defineSubagent } from '../../../../../src/kinds/entry.ts';
import { type McpClientConfig, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { scriptedModel, type TestSession } from '../../../../../src/testing/entry.ts';
import {
  type FakeServer,
  type FakeServerOptions,
  type FakeTool,
  makeBreakable,
  type RecordedRequest,
  respondWith,
} from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { createCrashTool, getLastResults } from '../../unfolding/scenes.ts';
import {
  countMethods,
  createSayingTool,
  createScene,
  createSession,
  requestTool,
  type Scene,
} from './scenes.ts';

const NEW_SESSION_NOTE = "MCP server 'shop' has begun a new session: the state of earlier calls is lost.";

/** A tool that counts its calls in each session of the server. */
function createThinkingTool(more: Partial<FakeTool> = {}): FakeTool {
  const thoughts = new Map<string, number>();
  return createSayingTool('think', '', {
    annotations: { readOnlyHint: true },
    run: (_, { sessionId = 'none' }) => {
      const count = (thoughts.get(sessionId) ?? 0) + 1;
      thoughts.set(sessionId, count);
      return { content: [{ type: 'text', text: `thought ${count}` }] };
    },
    ...more,
  });
}

/** A server with that tool, and a client that keeps its session. */
const createKeepingScene = (
  config: Partial<McpClientConfig> & { readonly server?: FakeServerOptions } = {},
  tools: readonly FakeTool[] = [createThinkingTool()],
): Scene => createScene(tools, { keepSession: true, ...config });

const createTools = ({ client }: Scene) => [mcpToolProvider({ clients: [client] })];

/** The replies of a turn that calls the tool once. */
const THINK_REPLIES = [requestTool('think'), 'Done.'];

const createDesk = (made: Scene, turns: number): TestSession =>
  createSession(createTools(made), Array.from({ length: turns }, () => THINK_REPLIES).flat());

/** A session in which one invocation runs each turn, with the connection that listed the tools. */
const createWarmDesk = (made: Scene, turns: number): TestSession =>
  createSession(createTools(made), Array.from({ length: turns }, () => THINK_REPLIES).flat(), { warm: true });

/** Runs a turn. Returns the result of its last call, as the model reads it. */
async function runTurn(
  desk: TestSession,
  options: Parameters<TestSession['send']>[1] = {},
): Promise<unknown> {
  expect(await desk.send('Think.', options)).toMatchObject({ outcome: 'completed', text: 'Done.' });
  return getLastResults(desk).at(-1);
}

/** The requests to the server, without the listening stream and the detection of the revision. */
const listMethods = ({ requests }: FakeServer): readonly string[] =>
  requests.flatMap(({ method, rpc }) =>
    method === 'GET' || rpc === 'server/discover' ? [] : [rpc ?? method],
  );

const isCall = ({ rpc }: RecordedRequest): boolean => rpc === 'tools/call';
const isPing = ({ rpc }: RecordedRequest): boolean => rpc === 'ping';

/**
 * The sessions of the calls that the server received, as one letter for each session in the order of first
 * use.
 */
function formatSessions({ requests }: FakeServer): string {
  const ids = requests.filter(isCall).map(({ headers }) => headers['mcp-session-id']);
  const all = [...new Set(ids)];
  return ids.map((id) => 'abcdef'[all.indexOf(id)]).join('');
}

const HANDSHAKE_METHODS = ['initialize', 'notifications/initialized'];

describe('a server with a stored session', () => {
  it('receives the next turns in the same session, without a handshake or a session end', async () => {
    const made = createKeepingScene();
    const desk = createWarmDesk(made, 3);
    expect([await runTurn(desk), await runTurn(desk), await runTurn(desk)]).toEqual([
      'thought 1',
      'thought 2',
      'thought 3',
    ]);
    expect(listMethods(made.server)).toEqual([
      ...[...HANDSHAKE_METHODS, 'tools/list', 'tools/call'],
      ...['ping', 'tools/call'],
      ...['ping', 'tools/call'],
    ]);
    const [first, ...others] = made.server.requests.filter(({ rpc }) => rpc === 'tools/call');
    for (const { headers } of others) {
      expect(headers['mcp-session-id']).toBe(first?.headers['mcp-session-id']);
      expect(headers['mcp-protocol-version']).toBe('2025-11-25');
    }
  });

  it('receives requests in a new session in each turn without `keepSession`', async () => {
    const made = createKeepingScene({ keepSession: false });
    const desk = createWarmDesk(made, 2);
    expect([await runTurn(desk), await runTurn(desk)]).toEqual(['thought 1', 'thought 1']);
    expect(formatSessions(made.server)).toBe('ab');
    expect(countMethods(made.server)).not.toHaveProperty('ping');
    await expect.poll(() => listMethods(made.server).filter((one) => one === 'DELETE')).toHaveLength(2);
  });

  it('receives requests in the same session after the eviction of the object', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 2);
    await runTurn(desk);
    desk.restart();
    expect(await runTurn(desk)).toBe('thought 2');
  });

  it('receives requests in the same session in every invocation to which a turn is handed over', async () => {
    const made = createKeepingScene();
    const desk = createSession(createTools(made), [
      requestTool('think'),
      requestTool('think'),
      requestTool('think'),
      'Done.',
    ]);
    expect(await runTurn(desk)).toBe('thought 3');
    expect(countMethods(made.server).initialize).toBe(1);
    expect(countMethods(made.server).ping).toBeGreaterThan(1);
  });

  it('lists its tools in the session, with the capabilities from its start', async () => {
    const made = createKeepingScene({ refreshAfter: 0 });
    const desk = createWarmDesk(made, 2);
    await runTurn(desk);
    made.server.tools = [...made.server.tools, createSayingTool('more')];
    await runTurn(desk);
    expect(desk.requests.at(-1)?.tools.map(({ name }) => name)).toEqual(['more', 'think']);
    expect(listMethods(made.server).slice(-3)).toEqual(['ping', 'tools/list', 'tools/call']);
  });

  it('has no stored session for an agent that runs without a session', async () => {
    const made = createKeepingScene();
    const agent = defineAgent({
      name: 'clerk',
      description: 'Helps.',
      instructions: 'Help.',
      tools: createTools(made),
      model: scriptedModel(THINK_REPLIES),
    });
    const said = captureWarnings();
    await runAgent(agent, 'Think.');
    await made.server.request(({ method }) => method === 'DELETE');
    expect(said).toEqual([
      "holdfast: The session of MCP server 'shop' is not stored for the next turn: it has more than 16384 characters, there is no room " +
        'for it, or another invocation has resumed the turn. With runAgent, sessions are never stored.',
    ]);
  });
});

describe('a server that does not know the stored session', () => {
  it.each([404, 400, 401])(
    'is asked for a new session after status %i, and the model is informed once',
    async (status) => {
      const made = createKeepingScene();
      const desk = createWarmDesk(made, 3);
      await runTurn(desk);
      const id = made.server.requests.find(isCall)?.headers['mcp-session-id'];
      made.server.misbehave = (request, proceed) =>
        request.headers['mcp-session-id'] === id ? respondWith(status)(request, proceed) : undefined;
      expect(await runTurn(desk)).toBe(`${NEW_SESSION_NOTE}\n\nthought 1`);
      expect(await runTurn(desk)).toBe('thought 2');
      expect(formatSessions(made.server)).toBe('abb');
      expect(listMethods(made.server).slice(4)).toEqual([
        ...['ping', ...HANDSHAKE_METHODS, 'tools/call'],
        ...['ping', 'tools/call'],
      ]);
    },
  );

  it('is asked for a new session if it reports the loss in a message, without a status', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 2);
    await runTurn(desk);
    made.server.misbehave = (request) => {
      if (!isPing(request)) return undefined;
      const { id } = JSON.parse(request.body);
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32001, message: 'Session not found' } });
    };
    expect(await runTurn(desk)).toBe(`${NEW_SESSION_NOTE}\n\nthought 1`);
  });

  it('is asked for a new session in the middle of a turn, and the call is sent once more', async () => {
    const made = createKeepingScene();
    const forgetSessions = () => {
      made.server.forgetSessions();
      return requestTool('think');
    };
    const desk = createSession(createTools(made), [
      requestTool('think'),
      forgetSessions,
      requestTool('think'),
      'Done.',
      ...THINK_REPLIES,
    ]);
    await runTurn(desk);
    expect(getLastResults(desk)).toEqual(['thought 1', `${NEW_SESSION_NOTE}\n\nthought 1`, 'thought 2']);
    expect(await runTurn(desk)).toBe('thought 3');
  });

  it.each<[string, Partial<FakeTool>, string]>([
    [
      'an error',
      { run: () => ({ isError: true, content: [{ type: 'text', text: 'No page is open.' }] }) },
      `Error: ${NEW_SESSION_NOTE}\n\nNo page is open.`,
    ],
    [
      'data',
      { run: () => ({ content: [], structuredContent: { pages: 0 } }) },
      `${NEW_SESSION_NOTE}\n\n{"pages":0}`,
    ],
    [
      'an image',
      { run: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }] }) },
      expect.stringContaining(`${NEW_SESSION_NOTE}\n\n`),
    ],
  ])('is reported to the model together with %s', async (_, tool, shown) => {
    const made = createKeepingScene({}, [createThinkingTool(tool)]);
    const desk = createDesk(made, 2);
    await runTurn(desk);
    made.server.forgetSessions();
    expect(await runTurn(desk)).toEqual(shown);
  });

  it('is reported to the model in a later turn if the turn with the new session made no calls', async () => {
    const made = createKeepingScene({ refreshAfter: 0 });
    const desk = createSession(createTools(made), [
      ...THINK_REPLIES,
      'Done.',
      ...THINK_REPLIES,
      ...THINK_REPLIES,
    ]);
    await runTurn(desk);
    made.server.forgetSessions();
    await desk.send('Nothing.');
    expect(await runTurn(desk)).toBe(`${NEW_SESSION_NOTE}\n\nthought 1`);
    expect(await runTurn(desk)).toBe('thought 2');
  });

  it('is distinguished from a server that does not respond, whose session is kept', async () => {
    const said = captureWarnings();
    const made = createKeepingScene();
    const desk = createDesk(made, 3);
    await runTurn(desk);
    made.server.misbehave = (request, proceed) =>
      isPing(request) ? respondWith(503)(request, proceed) : undefined;
    expect(await runTurn(desk)).toBe("Error: MCP server 'shop' cannot be reached: it answered HTTP 503.");
    made.server.misbehave = undefined;
    expect(await runTurn(desk)).toBe('thought 2');
    expect(countMethods(made.server).initialize).toBe(1);
    expect(said).toEqual([
      "holdfast: MCP server 'shop' cannot be reached: it answered HTTP 503. It is at https://mcp.test.",
    ]);
  });

  it('keeps its old session if it refuses a new session', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 3);
    await runTurn(desk);
    made.server.misbehave = respondWith(401);
    expect(await runTurn(desk)).toBe(
      "Error: MCP server 'shop' does not accept the caller's credentials (HTTP 401).",
    );
    made.server.misbehave = undefined;
    expect(await runTurn(desk)).toBe('thought 2');
  });

  it('is distinguished from a server that rejects a request, whose session continues', async () => {
    const made = createKeepingScene();
    const desk = createSession(createTools(made), [
      requestTool('think'),
      requestTool('think'),
      requestTool('think'),
      'Done.',
    ]);
    let count = 0;
    made.server.misbehave = (request, proceed) => {
      count += isCall(request) ? 1 : 0;
      return isCall(request) && count === 2 ? respondWith(400)(request, proceed) : undefined;
    };
    await runTurn(desk);
    expect(getLastResults(desk)).toEqual([
      'thought 1',
      "Error: MCP server 'shop' did not run 'think': it answered HTTP 400.",
      'thought 2',
    ]);
  });

  it.each(['stateless', 'modern'] as const)(
    'is called without sessions if it no longer has any (%s)',
    async (kind) => {
      const made = createKeepingScene();
      const desk = createDesk(made, 3);
      await runTurn(desk);
      const without = createScene([createSayingTool('think', 'no thought')], { server: { kind } }).server;
      made.server.misbehave = (request) => {
        if (request.headers['mcp-session-id'] !== undefined) return new Response(null, { status: 404 });
        const { method, headers, body } = request;
        return without.fetch(request.url, { method, headers, ...(body !== '' && { body }) });
      };
      expect(await runTurn(desk)).toBe(`${NEW_SESSION_NOTE}\n\nno thought`);
      const before = listMethods(made.server).length;
      expect(await runTurn(desk)).toBe('no thought');
      // Its tools were listed in a session. Until they are listed again, each turn first tries a session.
      const begun = kind === 'modern' ? ['initialize'] : HANDSHAKE_METHODS;
      expect(listMethods(made.server).slice(before)).toEqual([...begun, 'tools/call']);
    },
  );
});

describe('an invocation that is cut off', () => {
  it('leaves no session behind, and the next invocation starts a new session and informs the model', async () => {
    const made = createKeepingScene();
    const desk: TestSession = createSession(
      [...createTools(made), createCrashTool(() => desk)],
      [requestTool('think'), requestTool('crash'), requestTool('think'), 'Done.', ...THINK_REPLIES],
    );
    await runTurn(desk);
    expect(getLastResults(desk)).toEqual(['thought 1', 'crashed', `${NEW_SESSION_NOTE}\n\nthought 1`]);
    expect(await runTurn(desk)).toBe('thought 2');
    expect(formatSessions(made.server)).toBe('abb');
  });

  it('stores no more sessions, even if it continues with a running call', async () => {
    const gate = Promise.withResolvers<void>();
    const made = createKeepingScene({}, [
      createThinkingTool(),
      createSayingTool('wait', 'waited', {
        annotations: { idempotentHint: true },
        run: async (_, { sessionId }) => {
          if (waits++ > 0) return { content: [{ type: 'text', text: 'waited' }] };
          made.server.forgetSessions();
          desk.kill();
          await gate.promise;
          return { content: [{ type: 'text', text: String(sessionId) }] };
        },
      }),
    ]);
    let waits = 0;
    const desk: TestSession = createSession(createTools(made), [
      requestTool('wait'),
      requestTool('think'),
      'Done.',
      ...THINK_REPLIES,
    ]);
    await runTurn(desk);
    gate.resolve();
    expect(await runTurn(desk)).toBe('thought 2');
    expect(formatSessions(made.server)).toBe('abbb');
  });
});

describe('a stored session', () => {
  it('is private: another principal in the same session has a separate stored session', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 4);
    const bob = { principal: { id: 'bob' } };
    expect(await runTurn(desk)).toBe('thought 1');
    // The model has read the server's results for the other principal.
    expect(await runTurn(desk, bob)).toBe(`${NEW_SESSION_NOTE}\n\nthought 1`);
    expect([await runTurn(desk), await runTurn(desk, bob)]).toEqual(['thought 2', 'thought 2']);
    expect(formatSessions(made.server)).toBe('abab');
  });

  it('is separate from the stored session of a principal with the same id in another tenant', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 2);
    await runTurn(desk, { principal: { id: 'ada', tenant: 'acme' } });
    await runTurn(desk, { principal: { id: 'ada', tenant: 'other' } });
    expect(formatSessions(made.server)).toBe('ab');
  });

  it('is kept for a principal whose token differs in each turn', async () => {
    const made = createKeepingScene({ bearer: 'TOKEN' });
    let minted = 0;
    const desk = createSession(createTools(made), [...THINK_REPLIES, ...THINK_REPLIES], {
      secrets: () => ({ TOKEN: `token-${++minted}` }),
      warm: true,
    });
    await runTurn(desk);
    expect(await runTurn(desk)).toBe('thought 2');
    expect(made.server.requests.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('belongs to one context, with any loop id, if headers depend on the context', async () => {
    const createHeaders: McpClientConfig['headers'] = ({ context }) => ({
      'x-account': String(context.get('account')),
    });
    const made = createKeepingScene({ headers: createHeaders });
    const desk = createDesk(made, 3);
    const createAccountOptions = (name: string, loopId: string) => ({ context: { account: name }, loopId });
    expect(await runTurn(desk, createAccountOptions('a', 'one'))).toBe('thought 1');
    expect(await runTurn(desk, createAccountOptions('b', 'two'))).toBe(`${NEW_SESSION_NOTE}\n\nthought 1`);
    expect(await runTurn(desk, createAccountOptions('a', 'three'))).toBe('thought 2');
    expect(formatSessions(made.server)).toBe('aba');
  });

  it('is shared by all contexts if no header depends on the context', async () => {
    const made = createKeepingScene({ headers: undefined });
    const desk = createDesk(made, 2);
    await runTurn(desk, { context: { account: 'a' } });
    expect(await runTurn(desk, { context: { account: 'b' } })).toBe('thought 2');
  });

  it('belongs to one address', async () => {
    const made = createKeepingScene({
      url: ({ context }) => `https://mcp.test/${String(context.get('place'))}`,
    });
    const desk = createDesk(made, 2);
    await runTurn(desk, { context: { place: 'east' } });
    await runTurn(desk, { context: { place: 'west' } });
    expect(formatSessions(made.server)).toBe('ab');
  });

  it('is shared with a nested loop and with the next turn', async () => {
    const made = createKeepingScene();
    const helper = defineSubagent({
      agent: defineAgent({
        name: 'helper',
        description: 'Thinks.',
        instructions: 'Think.',
        tools: createTools(made),
      }),
    });
    const desk = createSession(
      [helper, ...createTools(made)],
      [
        requestTool('think'),
        requestTool('helper', { message: 'Think.' }),
        requestTool('think'),
        'Thought.',
        'Done.',
        ...THINK_REPLIES,
      ],
    );
    await desk.send('Think.');
    expect(await runTurn(desk)).toBe('thought 3');
    expect(countMethods(made.server).initialize).toBe(1);
  });

  it('never receives the same request id twice', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 3);
    for (let turns = 0; turns < 3; turns += 1) await runTurn(desk);
    const sent = made.server.requests.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)]));
    const ids = sent.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(ids.length).toBeGreaterThan(6);
    expect(new Set(ids).size).toBe(ids.length);
    const tokens = sent.flatMap(({ params }) => params?._meta?.progressToken ?? []);
    expect(new Set(tokens).size).toBe(3);
  });

  it('continues in the same turn after a lost response, and the lost call keeps its id', async () => {
    const gate = Promise.withResolvers<void>();
    const slow = createSayingTool('slow', '', {
      annotations: { readOnlyHint: true },
      run: async () => {
        await gate.promise;
        return { content: [{ type: 'text', text: 'too late' }] };
      },
    });
    const made = createKeepingScene({}, [slow, createThinkingTool()]);
    made.server.misbehave = async (request, proceed) => {
      if (!isCall(request) || !request.body.includes('"slow"')) return proceed();
      const { response, lose } = makeBreakable(await proceed());
      setTimeout(lose);
      return response;
    };
    const releaseAndThink = () => {
      gate.resolve();
      return requestTool('think');
    };
    const replies = [requestTool('think'), requestTool('slow'), releaseAndThink, 'Done.'];
    const desk = createSession(createTools(made), replies, { log: false });
    await runTurn(desk);
    expect(getLastResults(desk)).toEqual([
      'thought 1',
      "Error: The connection of tool 'slow' was lost before it answered.",
      'thought 2',
    ]);
    expect(formatSessions(made.server)).toBe('aaa');
  });

  it('has an id that is redacted if the server repeats it, and that is not in any event', async () => {
    const echo = createThinkingTool({
      run: (_, { sessionId = '' }) => ({ content: [{ type: 'text', text: `I am ${sessionId}.` }] }),
    });
    const made = createKeepingScene({}, [echo]);
    const desk = createDesk(made, 3);
    const hidden = 'I am [secret mcp-session-id].';
    expect([await runTurn(desk), await runTurn(desk)]).toEqual([hidden, hidden]);
    const ids = new Set(made.server.requests.flatMap(({ headers }) => headers['mcp-session-id'] ?? []));
    made.server.forgetSessions();
    expect(await runTurn(desk)).toBe(`${NEW_SESSION_NOTE}\n\n${hidden}`);
    const seen = JSON.stringify([await desk.events(), desk.requests, await desk.pending()]);
    expect(ids.size).toBe(1);
    for (const id of ids) expect(seen).not.toContain(id);
  });

  it('has an id that is redacted if the server refuses it, while other text is kept', async () => {
    const made = createKeepingScene();
    const desk = createDesk(made, 2);
    await runTurn(desk);
    const id = made.server.requests.find(isCall)?.headers['mcp-session-id'];
    made.server.misbehave = ({ body }) => {
      const error = { code: -32000, message: `There is no session ${id}` };
      return Response.json({ jsonrpc: '2.0', id: JSON.parse(body).id, error }, { status: 422 });
    };
    expect(await runTurn(desk)).toBe(
      "Error: MCP server 'shop' cannot be reached: it answered HTTP 422: There is no session [secret mcp-session-id].",
    );
    expect(JSON.stringify(await desk.events())).not.toContain(id);
  });
});
