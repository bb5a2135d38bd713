/**
 * Servers that defer a call until they have more input (MCP specification 2026-07-28, Multi Round-Trip
 * Requests).
 */
import type { CallToolResult, InputRequiredResult, Tool } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type McpClientConfig, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import type { ScriptedReply, TestSession } from '../../../../../src/testing/entry.ts';
import { MARK, withOneMark } from '../../../../fixtures/marks.ts';
import { type FakeServer, misbehaveFor } from '../../../../fixtures/mcp/fake-server.ts';
import { captureWarnings } from '../../../../fixtures/warnings.ts';
import { getLastResults } from '../../unfolding/scenes.ts';
import { countMethods, createScene, createSession, requestTool } from './scenes.ts';

/** The parameters of a call, without its name and metadata. */
interface SentParams {
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly requestState?: string | undefined;
}

type CallAnswer = CallToolResult | InputRequiredResult;

const PARTY_REQUEST = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'For how many people?',
    requestedSchema: {
      type: 'object',
      properties: { people: { type: 'integer', minimum: 1 }, window: { type: 'boolean', default: true } },
      required: ['people'],
    },
  },
} as const;

const createForm = (message: string, properties: object) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties } },
});
const NAME_FORM = createForm('In whose name?', { name: { type: 'string' } });

const URL_MODE_PARAMS = { mode: 'url', message: 'Sign in.', url: 'https://bank.test', elicitationId: 'e1' };

const createInputRequired = (
  inputRequests: InputRequiredResult['inputRequests'] | Readonly<Record<string, unknown>> | undefined,
  requestState?: string,
): InputRequiredResult =>
  ({
    resultType: 'input_required',
    ...(inputRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
  }) as InputRequiredResult; // Servers may send any value.

const createTextResult = (text: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof text === 'string' ? text : JSON.stringify(text) }],
});

interface Desk {
  readonly desk: TestSession;
  readonly server: FakeServer;
  /** The parameters of the calls, in order. */
  readonly sent: SentParams[];
}

/** A session of an agent with the tool `book` of a server with the new revision. */
function createDesk(
  answer: (sent: SentParams, times: number) => CallAnswer,
  { annotations, ...config }: Partial<McpClientConfig> & Pick<Tool, 'annotations'> = {},
  replies: readonly ScriptedReply[] = [requestTool('book', { date: 'May 4' }), 'Booked.'],
): Desk {
  const sent: SentParams[] = [];
  const { server, client } = createScene([], {
    ...config,
    server: {
      kind: 'modern',
      modern: {
        capabilities: { tools: {} },
        serve(one) {
          const book: Tool = {
            name: 'book',
            description: 'Books.',
            inputSchema: { type: 'object', properties: { date: { type: 'string' } } },
            ...(annotations && { annotations }),
          };
          one.setRequestHandler('tools/list', () => ({ tools: [book] }));
        },
      },
      // The server of the SDK does not send every response that servers may send.
      misbehave: misbehaveFor(
        ({ rpc }) => rpc === 'tools/call',
        async ({ body }) => {
          const { id, params } = JSON.parse(body);
          const { name: _, _meta: __, ...one } = params;
          sent.push(one);
          const result = { resultType: 'complete', ...answer(one, sent.length) };
          return Response.json({ jsonrpc: '2.0', id, result });
        },
      ),
    },
  });
  return {
    server,
    sent,
    desk: createSession([mcpToolProvider({ clients: [client] })], replies, { leaseMs: 3_000 }),
  };
}

const REQUEST_STATE = ' {"opaque": "é\u0000 \\u0041"}\n';

const onceHints = { annotations: {} };
const idempotentHints = { annotations: { idempotentHint: true } };
const readHints = { annotations: { readOnlyHint: true } };

describe('a server that requires input', () => {
  it.each([
    ['once', onceHints],
    ['idempotent', idempotentHints],
    ['read', readHints],
  ])('suspends the turn, and then receives the answer with its own state (%s)', async (_, config) => {
    const {
      desk: table,
      sent,
      server,
    } = createDesk(
      ({ inputResponses }, times) =>
        times === 1
          ? createInputRequired({ party: PARTY_REQUEST }, REQUEST_STATE)
          : createTextResult({ inputResponses }),
      config,
    );
    expect(await table.send('Book a table')).toMatchObject({ outcome: 'suspended' });
    expect(withOneMark(await table.pending())).toMatchObject([
      {
        tool: 'book',
        message: `MCP server 'shop' asks while 'book' runs: [untrusted ${MARK}] For how many people? [/untrusted ${MARK}]`,
        input: { window: true },
        schema: PARTY_REQUEST.params.requestedSchema,
        allows: ['edit', 'reject'],
      },
    ]);
    table.restart();
    const input = { people: 4, window: false };
    expect(await table.decide('book', { decision: 'edit', input })).toMatchObject({ text: 'Booked.' });
    const inputResponses = { party: { action: 'accept', content: input } };
    expect(getLastResults(table)).toEqual([JSON.stringify({ inputResponses })]);
    const begun = { arguments: { date: 'May 4' } };
    expect(sent).toEqual([begun, { ...begun, inputResponses, requestState: REQUEST_STATE }]);
    expect(countMethods(server)['tools/call']).toBe(2);
  });

  it('has its state journaled, but hidden from the model and the reviewer', async () => {
    const { desk: table } = createDesk((_, times) =>
      times === 1 ? createInputRequired({ party: PARTY_REQUEST }, 'opaque') : createTextResult('ok'),
    );
    await table.send('Book a table');
    expect(JSON.stringify(await table.pending())).not.toContain('opaque');
    expect(JSON.stringify(await table.events())).toContain('opaque');
    await table.decide('book', 'reject');
    expect(JSON.stringify(table.requests)).not.toContain('opaque');
  });

  it('receives a state only if it has sent a state', async () => {
    const { desk: table, sent } = createDesk(
      (_, times) => (times === 1 ? createInputRequired({ party: PARTY_REQUEST }) : createTextResult('ok')),
      readHints,
    );
    await table.send('Book a table');
    await table.decide('book', 'reject');
    const date = { arguments: { date: 'May 4' } };
    expect(sent).toEqual([date, { ...date, inputResponses: { party: { action: 'decline' } } }]);
  });

  it('can ask several questions at once, which are shown one by one and answered together', async () => {
    const { desk: table, sent } = createDesk((_, times) =>
      times === 1
        ? createInputRequired({ party: PARTY_REQUEST, name: NAME_FORM, __proto__2: PARTY_REQUEST }, 's1')
        : createTextResult('ok'),
    );
    await table.send('Book a table');
    for (const [decision, input] of [
      ['edit', { people: 2 }],
      ['edit', { name: 'Ann' }],
    ] as const) {
      table.restart();
      expect(await table.decide('book', { decision, input })).toMatchObject({ outcome: 'suspended' });
    }
    table.restart();
    expect(await table.decide('book', 'reject')).toMatchObject({ text: 'Booked.' });
    expect(sent.slice(1)).toEqual([
      {
        arguments: { date: 'May 4' },
        inputResponses: {
          party: { action: 'accept', content: { people: 2 } },
          name: { action: 'accept', content: { name: 'Ann' } },
          __proto__2: { action: 'decline' },
        },
        requestState: 's1',
      },
    ]);
  });

  it('can ask again, and receives only the answers and the state of that round', async () => {
    const { desk: table, sent } = createDesk(
      (_, times) =>
        [
          createInputRequired({ party: PARTY_REQUEST }, 's1'),
          createInputRequired({ name: NAME_FORM }, 's2'),
          createInputRequired({ again: NAME_FORM }),
        ][times - 1] ?? createTextResult('ok'),
    );
    await table.send('Book a table');
    for (const input of [{ people: 2 }, { name: 'Ann' }, { name: 'Bea' }]) {
      table.restart();
      await table.decide('book', { decision: 'edit', input });
    }
    expect(getLastResults(table)).toEqual(['ok']);
    expect(sent.slice(1).map(({ arguments: _, ...one }) => one)).toEqual([
      { inputResponses: { party: { action: 'accept', content: { people: 2 } } }, requestState: 's1' },
      { inputResponses: { name: { action: 'accept', content: { name: 'Ann' } } }, requestState: 's2' },
      { inputResponses: { again: { action: 'accept', content: { name: 'Bea' } } } },
    ]);
  });

  it('can request the same call again, which includes only its state', async () => {
    const { desk: table, sent } = createDesk((_, times) =>
      times === 1 ? createInputRequired(undefined, '') : createTextResult('ok'),
    );
    expect(await table.send('Book a table')).toMatchObject({ text: 'Booked.' });
    expect(sent[1]).toEqual({ arguments: { date: 'May 4' }, requestState: '' });
  });

  it('is declined without a person if it asks for a credential, which is logged', async () => {
    const said = captureWarnings();
    const password = createForm('Log in.', { password: { type: 'string' } });
    const { desk: table, sent } = createDesk((_, times) =>
      times === 1 ? createInputRequired({ password, party: PARTY_REQUEST }, 's') : createTextResult('ok'),
    );
    await table.send('Book a table');
    expect(await table.pending()).toHaveLength(1);
    await table.decide('book', { decision: 'edit', input: { people: 2 } });
    expect(sent[1]?.inputResponses).toEqual({
      password: { action: 'decline' },
      party: { action: 'accept', content: { people: 2 } },
    });
    expect(said).toEqual([
      "holdfast: MCP server 'shop' asked for a credential while 'book' ran, in its field 'password', and was " +
        'declined, because the journal stores what people answer.',
    ]);
  });

  it.each<[string, Partial<McpClientConfig>, object]>([
    ['the client refuses elicitations', { elicitation: 'refuse' }, PARTY_REQUEST],
    ['it sends the person to a URL', {}, { method: 'elicitation/create', params: URL_MODE_PARAMS }],
  ])('is declined without a person if %s', async (_, config, question) => {
    const { desk: table, sent } = createDesk(
      (__, times) => (times === 1 ? createInputRequired({ question }, 's') : createTextResult('ok')),
      config,
    );
    expect(await table.send('Book a table')).toMatchObject({ text: 'Booked.' });
    expect(sent[1]).toMatchObject({ inputResponses: { question: { action: 'decline' } }, requestState: 's' });
  });

  it('has had no effect if the turn is cancelled before the answer', async () => {
    const { desk: table, sent } = createDesk(() => createInputRequired({ party: PARTY_REQUEST }));
    const { turn } = await table.send('Book a table');
    await table.cancel();
    expect(await table.answer(turn)).toMatchObject({ outcome: 'cancelled' });
    const ended = (await table.events()).flatMap((event) =>
      event.type === 'tool-call-ended' ? [event.result] : [],
    );
    expect(ended).toMatchObject([{ message: "The call of 'book' was cut short." }]);
    expect(sent).toHaveLength(1);
  });

  it('leaves a `once` call with an unknown outcome if the response of the resumed call is lost', async () => {
    const said = captureWarnings();
    const {
      desk: table,
      server,
      sent,
    } = createDesk(() => createInputRequired({ party: PARTY_REQUEST }, 's'));
    await table.send('Book a table');
    server.misbehave = misbehaveFor(
      ({ rpc }) => rpc === 'tools/call',
      () => {
        throw new TypeError('Network connection lost.');
      },
    );
    await table.decide('book', 'reject');
    expect(getLastResults(table)).toEqual([
      "Error: The outcome of this call of 'book' is unknown: it was started, and no answer came back. It may have happened " +
        'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
    ]);
    expect([sent.length, said.length > 0]).toEqual([1, true]);
  });

  it('receives no data that another server asked for', async () => {
    let url = 'https://elsewhere.test/mcp';
    const { desk: table, sent } = createDesk(
      () => createInputRequired({ party: PARTY_REQUEST }, 's'),
      { url: () => url },
      ['Hello.', requestTool('book'), 'Booked.'],
    );
    await table.send('Hello');
    url = 'https://mcp.test/mcp';
    await table.send('Book a table');
    url = 'https://elsewhere.test/mcp';
    table.restart();
    await table.decide('book', 'reject');
    expect(getLastResults(table)).toEqual([
      "Error: MCP tool 'book' was not carried out: people's answers are for another server. Go on without it.",
    ]);
    expect(sent).toHaveLength(1);
  });
});

describe('a server whose question cannot be answered', () => {
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`q${at}`, PARTY_REQUEST]));
  it.each<[string, InputRequiredResult, string]>([
    [
      'for our models',
      createInputRequired({
        party: PARTY_REQUEST,
        help: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 9 } },
      }),
      "its server asks for 'sampling/createMessage', which is not supported",
    ],
    [
      'for our files',
      createInputRequired({ files: { method: 'roots/list' } }),
      "its server asks for 'roots/list', which is not supported",
    ],
    [
      'with an invalid request',
      createInputRequired({ party: 'How many?' }),
      "its server's question is not valid MCP",
    ],
    [
      'with an invalid schema',
      createInputRequired({ party: { ...PARTY_REQUEST, params: { message: 'Sure?', requestedSchema: 7 } } }),
      "its server's question is not valid MCP",
    ],
    [
      'with an oversized name',
      createInputRequired({ ['x'.repeat(201)]: PARTY_REQUEST }),
      "its server's question is not valid MCP",
    ],
    [
      'more than 10 questions',
      createInputRequired(many),
      'its server asks more than 10 questions in one call',
    ],
    [
      'with an oversized state',
      createInputRequired({ party: PARTY_REQUEST }, 'x'.repeat(32_769)),
      'its server sent a state of more than 32768 characters',
    ],
  ])('receives no answer, and the model reads the reason: it asks %s', async (_, answer, why) => {
    const { desk: table, sent } = createDesk(() => answer);
    expect(await table.send('Book a table')).toMatchObject({ text: 'Booked.' });
    expect(getLastResults(table)).toEqual([
      `Error: MCP tool 'book' was not carried out: ${why}. Go on without it.`,
    ]);
    expect(sent).toHaveLength(1);
  });

  it('is abandoned after eight rounds', async () => {
    const { desk: table, sent } = createDesk((_, times) =>
      createInputRequired({ url: { ...PARTY_REQUEST, params: URL_MODE_PARAMS } }, `${times}`),
    );
    await table.send('Book a table');
    expect(getLastResults(table)).toEqual([
      "Error: MCP tool 'book' was not carried out: its server has deferred it 8 times. Go on without it.",
    ]);
    expect(sent.map(({ requestState }) => requestState)).toEqual([undefined, ...'12345678']);
  });

  it('is abandoned after ten questions, regardless of how many it asks at once', async () => {
    const three = { a: PARTY_REQUEST, b: NAME_FORM, c: PARTY_REQUEST };
    const { desk: table, sent } = createDesk(() => createInputRequired(three));
    await table.send('Book a table');
    for (let asked = 0; asked < 9; asked += 1) await table.decide('book', 'reject');
    expect(getLastResults(table)).toEqual([
      "Error: MCP tool 'book' was not carried out: its server asks more than 10 questions in one call. Go on without it.",
    ]);
    expect(sent).toHaveLength(4);
  });

  it('receives no state that contained a credential of the caller, and the state is not stored', async () => {
    const { desk: table, sent } = createDesk(
      () => createInputRequired({ party: PARTY_REQUEST }, 'for top-secret-value'),
      {
        headers: () => ({ 'x-key': 'top-secret-value' }),
      },
    );
    await table.send('Book a table');
    expect(getLastResults(table)).toEqual([
      "Error: MCP tool 'book' was not carried out: its server sent a state with a credential, which is not stored. Go on without it.",
    ]);
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(await table.events())).not.toContain('top-secret-value');
  });
});
