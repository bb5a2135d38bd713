/** The MCP endpoint of the app: hostile arguments, ids, keys and batches. */
import {
  type Attack,
  type Check,
  containsText,
  formatResponse,
  hasStatus,
  isAnswer,
  isProblem,
  lacksText,
  passesAll,
} from '../attack.ts';
import type { ReceivedResponse } from '../http.ts';
import type { Scene } from '../scene.ts';
import { FILES, VAULT, type Victims } from '../victims.ts';

const HEADERS = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };

/** Returns the result of a request, from a JSON body or from an event. */
async function sendRpc(
  { ann }: Pick<Scene, 'ann'>,
  method: string,
  params: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<ReceivedResponse> {
  const message = { jsonrpc: '2.0', id: 1, method, params };
  return unwrapEvent(await ann.post('/mcp', message, { ...HEADERS, ...headers }));
}

function unwrapEvent(came: ReceivedResponse): ReceivedResponse {
  const data = /^data: (.*)$/m.exec(came.text.split('\n').toReversed().join('\n'))?.[1];
  return data === undefined ? came : { ...came, json: JSON.parse(data) };
}

const callTool = (
  scene: Pick<Scene, 'ann'>,
  name: string,
  input: unknown,
  more: object = {},
): Promise<ReceivedResponse> => sendRpc(scene, 'tools/call', { name, arguments: input, ...more });

/** Expects a JSON-RPC error with this message. */
const isRpcError = (code: number, message: string): Check => isAnswer(200, { error: { code, message } });

/** Invalid session ids. */
const sessions = [
  '',
  '../vault',
  '%2e%2e',
  '["zeta","clerk","vault"]',
  'a b',
  'a/b',
  'x'.repeat(129),
  'v\u0430ult',
  'a\u0000',
];

/** Invalid params of a call. */
const params: readonly (readonly [what: string, params: unknown, message: string])[] = [
  ['a name that is a list', { name: ['pay'] }, '`name` must be the name of a tool.'],
  ['no name', {}, '`name` must be the name of a tool.'],
  ['arguments that are a list', { name: 'pay', arguments: [5] }, '`arguments` must be an object.'],
  ['arguments that are text', { name: 'pay', arguments: '{"amount":5}' }, '`arguments` must be an object.'],
  [
    'a key with a line end',
    { name: 'pay', _meta: { 'holdfast/idempotency-key': 'a\nb' } },
    '`_meta["holdfast/idempotency-key"]` must be 1 to 255 visible ASCII characters.',
  ],
  [
    'a key without end',
    { name: 'pay', _meta: { 'holdfast/idempotency-key': 'k'.repeat(256) } },
    '`_meta["holdfast/idempotency-key"]` must be 1 to 255 visible ASCII characters.',
  ],
];

/** Bodies that are not JSON-RPC messages. */
const bodies: readonly (readonly [what: string, body: string])[] = [
  ['no JSON', '{"jsonrpc":"2.0",'],
  ['a text', '"tools/list"'],
  ['a message without a version', '{"id":1,"method":"tools/list"}'],
  ['a message of version 1', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
  ['a method that is no text', '{"jsonrpc":"2.0","id":1,"method":["tools/call"]}'],
  [
    'a _meta that is a list',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","_meta":[]}}',
  ],
  [
    'a progress token that is an object',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","_meta":{"progressToken":{}}}}',
  ],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
];

const payTwice = JSON.stringify(
  [1, 2].map((id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'pay', arguments: { amount: id } },
  })),
);

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const protocol: readonly Attack[] = [
  ...params.map(
    ([what, given, message]): Attack => ({
      name: `a call with ${what} runs no tool`,
      act: (scene) => sendRpc(scene, 'tools/call', given),
      comes: isRpcError(-32602, message),
    }),
  ),
  ...bodies.map(
    ([what, body]): Attack => ({
      name: `${what} is refused as a message`,
      act: ({ ann }) => ann.post('/mcp', body, HEADERS),
      comes: hasStatus(400),
    }),
  ),
  ...['DELETE', 'PUT', 'PATCH'].map(
    (method): Attack => ({
      name: `${method} is refused because there is no session to end`,
      act: ({ ann }) => ann.ask({ method, path: '/mcp', headers: Object.entries(HEADERS) }),
      comes: isProblem(405, 'method-not-allowed', 'Use POST, GET, HEAD.'),
    }),
  ),
  {
    name: 'GET is refused if the caller has not started a call',
    act: ({ ann }) => ann.ask({ method: 'GET', path: '/mcp', headers: Object.entries(HEADERS) }),
    comes: isProblem(
      405,
      'method-not-allowed',
      'Use POST here. A GET resumes the broken stream of a call, and needs the id of its last event as Last-Event-ID.',
    ),
  },
  {
    name: 'a batch of two calls is refused before either of them starts',
    act: ({ ann }) => ann.post('/mcp', payTwice, HEADERS),
    comes: isAnswer(400, {
      error: {
        message:
          'A batch can have only one of tools/call, resources/read, resources/list, prompts/get, completion/complete, but this one ' +
          'has 2. Send each in its own request.',
      },
    }),
  },
  {
    name: 'a batch whose second call contains escape sequences is refused',
    act: ({ ann }) => ann.post('/mcp', payTwice.replace('tools/call', 'tools\\u002fcall'), HEADERS),
    comes: hasStatus(400),
  },
  {
    name: 'a batch after a byte order mark is refused',
    act: ({ ann }) => ann.post('/mcp', `\ufeff${payTwice}`, HEADERS),
    comes: hasStatus(400),
  },
  {
    name: 'an empty batch is refused',
    act: ({ ann }) => ann.post('/mcp', '[]', HEADERS),
    comes: hasStatus(400),
  },
  {
    name: 'an invented protocol session gives no access',
    act: (scene) =>
      sendRpc(scene, 'tools/call', { name: 'records', arguments: {} }, { 'mcp-session-id': 'zetas-session' }),
    comes: lacksText(/ZETA/),
  },
  {
    name: 'an invented cursor is refused',
    act: (scene) => sendRpc(scene, 'tools/list', { cursor: 'eyJvZmZzZXQiOi0xfQ' }),
    comes: isRpcError(-32602, 'There is no such page. The first page lists everything.'),
  },
  {
    name: 'an unknown method is reported as unknown',
    act: (scene) => sendRpc(scene, 'roots/list', {}),
    comes: isRpcError(-32601, 'Method not found'),
  },
  {
    name: 'an old or unknown protocol version is refused',
    act: (scene) => sendRpc(scene, 'tools/list', {}, { 'mcp-protocol-version': '1999-01-01' }),
    comes: hasStatus(400),
  },
  {
    name: 'a message as plain text is refused',
    act: ({ ann }) => ann.post('/mcp', PING, { ...HEADERS, 'content-type': 'text/plain' }),
    comes: hasStatus(415),
  },
  {
    name: 'a message of megabytes is not read',
    act: ({ ann }) => ann.post('/mcp', `{"x":"${'x'.repeat(300_000)}"}`, HEADERS),
    comes: isProblem(413, 'body-too-large', 'The body is larger than 200000 bytes. Send less.'),
  },
];

/** Resources that do not exist or belong to another caller. */
const listResourceAttacks = ({ turn, file }: Victims): readonly Attack[] =>
  [
    'file:///etc/passwd',
    'http://169.254.169.254/latest/meta-data',
    `holdfast://files/${file}/z.txt`,
    `holdfast://clerk/${FILES}/files/${file}`,
    `holdfast://clerk/${FILES}/files/${file.toUpperCase()}`,
    `holdfast://plain/${FILES}/files/${file}`,
    ...[3, 4, 5, 6].map((seq) => `holdfast://clerk/${VAULT}/artifacts/${turn}.${seq}.0`),
  ].map((uri) => ({
    name: `the resource ${uri.replaceAll(file, '{file}').replaceAll(turn, '{turn}')} does not exist`,
    act: (scene) => sendRpc(scene, 'resources/read', { uri }),
    comes: passesAll(isAnswer(200, { error: { code: -32602, data: { uri } } }), lacksText(/ZETA/)),
  }));

const tools: readonly Attack[] = [
  {
    name: 'a tool runs for the caller, regardless of the tenant in arguments, _meta and headers',
    act: (scene) =>
      sendRpc(
        scene,
        'tools/call',
        {
          name: 'records',
          arguments: { tenant: 'zeta' },
          _meta: { tenant: 'zeta', principal: { id: 'zoe', tenant: 'zeta' }, context: { tenant: 'zeta' } },
        },
        { 'x-gateway-tenant': 'zeta' },
      ),
    comes: passesAll(containsText(/ACME-BOOKS-4411/), lacksText(/ZETA-BOOKS/)),
  },
  {
    name: 'an unpublished tool is not called, although an agent has it',
    act: (scene) => callTool(scene, 'refund', { amount: 5 }),
    comes: containsText(/-32602/),
  },
  ...['__proto__', 'constructor', 'toString', 'PAY', 'pay '].map(
    (name): Attack => ({
      name: `the tool ${JSON.stringify(name)} does not exist`,
      act: (scene) => callTool(scene, name, { amount: 5 }),
      comes: containsText(/-32602/),
    }),
  ),
  {
    name: 'a tool that needs approval does not run if no one can be asked',
    act: (scene) => callTool(scene, 'guarded', { amount: 5 }),
    comes: isAnswer(200, { result: { isError: true } }),
  },
  {
    name: 'an input that does not match the schema pays nothing',
    act: (scene) => callTool(scene, 'pay', { amount: 5_000_000 }),
    comes: isAnswer(200, { result: { isError: true } }),
  },
  {
    name: 'two callers with the same key pay separately',
    async act(scene) {
      const more = { _meta: { 'holdfast/idempotency-key': 'same' } };
      await callTool(scene, 'pay', { amount: 4 }, more);
      await callTool({ ann: scene.rolf }, 'pay', { amount: 4 }, more);
      return new Set(scene.world.effects.slice(-2).map(({ key }) => key)).size;
    },
    comes: 2,
    effects: ['pay 4 for acme', 'pay 4 for acme'],
  },
  ...(['plain', 'json', 'url', 'error'] as const).map(
    (as): Attack => ({
      name: `a response does not contain a secret that a tool returns (${as})`,
      act: (scene) => callTool(scene, 'leak', { as }, { _meta: { progressToken: 1 } }),
      comes: containsText(/\[secret API_KEY\]/),
    }),
  ),
];

const listAgentAttacks = (victims: Victims): readonly Attack[] => [
  ...sessions.map(
    (session): Attack => ({
      name: `the session ${JSON.stringify(session).slice(0, 30)} is refused`,
      act: (scene) => callTool(scene, 'clerk', { message: 'Hello.', session }),
      comes: isAnswer(200, { result: { isError: true } }),
    }),
  ),
  {
    name: "a session with the name of zeta's session belongs to the caller",
    async act(scene) {
      const came = await callTool(scene, 'clerk', { message: scene.play('Mine.'), session: VAULT });
      await scene.ann.del(scene.at(VAULT));
      return came;
    },
    comes: passesAll(isAnswer(200, { result: { structuredContent: { text: 'Mine.' } } }), lacksText(/ZETA/)),
  },
  {
    name: "zeta's key gives no access to a session of zeta",
    async act(scene) {
      const more = { _meta: { 'holdfast/idempotency-key': victims.key } };
      const theirs = await callTool({ ann: scene.zoe }, 'plain', { message: scene.play('Ours.') }, more);
      const ours = await callTool(scene, 'plain', { message: scene.play('Mine.') }, more);
      const findSession = ({ text }: ReceivedResponse): string | undefined =>
        /"session":"([^"]+)"/.exec(text)?.[1];
      return findSession(theirs) === findSession(ours);
    },
    comes: false,
  },
  {
    name: 'a repeated key with another message is refused and replays nothing',
    async act(scene) {
      const more = { _meta: { 'holdfast/idempotency-key': 'k-other' } };
      await callTool(scene, 'plain', { message: scene.play('First.') }, more);
      return callTool(scene, 'plain', { message: scene.play('Second.') }, more);
    },
    comes: containsText(
      /This holdfast\/idempotency-key was used with another input. Use a new key for a new message\./,
    ),
  },
  {
    name: 'a principal, a context or a decision in the arguments of an agent is refused',
    act: (scene) =>
      callTool(scene, 'clerk', {
        message: 'Hello.',
        principal: { id: 'zoe' },
        context: { tenant: 'zeta' },
        decision: 'approve',
      }),
    comes: isAnswer(200, { result: { isError: true } }),
  },
  {
    name: 'a call of an agent that needs a manager is suspended and pays nothing',
    async act(scene) {
      const message = scene.play([{ name: 'refund', input: { amount: 5 } }], 'Done.');
      const came = await callTool(scene, 'clerk', { message });
      const { result } = came.json as { result: { structuredContent: { outcome: string; session: string } } };
      const { outcome, session } = result.structuredContent;
      const again = await callTool(scene, 'clerk', { message: 'Approve it.', session });
      await scene.rolf.del(scene.at(session));
      return [
        outcome,
        formatResponse(came),
        JSON.stringify(again.json).includes('waits for an answer from outside'),
      ];
    },
    comes: ['suspended', '200', true],
  },
];

/** Builds the id of a stream event in the endpoint's format. */
const formatEventId = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

const resumeStream = ({ ann }: Pick<Scene, 'ann'>, id: string): Promise<ReceivedResponse> =>
  ann.ask({ method: 'GET', path: '/mcp', headers: Object.entries({ ...HEADERS, 'last-event-id': id }) });

/** Event ids that no stream has sent. */
const ids: readonly (readonly [what: string, id: string])[] = [
  ['a path', '../../vault'],
  ['a number', '1'],
  ['an object', formatEventId({ session: VAULT })],
  ['a list too short', formatEventId([1, ['clerk', VAULT]])],
  ['a sequence that no journal has', formatEventId([1, ['clerk', VAULT, 't', false, null, 2 ** 60, 0]])],
  ['a name that is a list', formatEventId([1, [['clerk'], VAULT, 't', false, null, 0, 0]])],
  ['half of a character', '%E0%A4%A'],
  ['brackets without end', '%5B'.repeat(4_000)],
];

const listStreamAttacks = (victims: Victims): readonly Attack[] => [
  ...ids.map(
    ([what, id]): Attack => ({
      name: `an event id that is ${what} resumes no stream`,
      act: (scene) => resumeStream(scene, id),
      comes: isProblem(
        400,
        'invalid-header',
        'Last-Event-ID is not the id of an event of this endpoint. Send the request again.',
      ),
    }),
  ),
  ...[VAULT, '__proto__', victims.key].map(
    (session): Attack => ({
      name: `an event id that names another owner's session ${session} shows nothing of it`,
      act: (scene) =>
        resumeStream(scene, formatEventId([1, ['clerk', session, 'turn-1', false, null, 0, 0]])),
      comes: passesAll(hasStatus(404), lacksText(/ZETA/)),
    }),
  ),
  ...['records', 'constructor', 'nobody'].map(
    (name): Attack => ({
      name: `an event id that names ${name}, which is not an agent, shows nothing`,
      act: (scene) => resumeStream(scene, formatEventId([1, [name, VAULT, 'turn-1', false, null, 0, 0]])),
      comes: hasStatus(404),
    }),
  ),
  {
    name: 'an event id shows nothing to another caller',
    async act(scene) {
      const more = { _meta: { progressToken: 1 } };
      const { text } = await callTool(scene, 'plain', { message: scene.play('For Ann.') }, more);
      const id = /^id: (.+)$/m.exec(text)?.[1] ?? '';
      const [own, foreign] = [await resumeStream(scene, id), await resumeStream({ ann: scene.zoe }, id)];
      return [own.status, own.text.includes('For Ann.'), foreign.status, foreign.text.includes('For Ann.')];
    },
    comes: [200, true, 404, false],
  },
];

const REVISION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Sends a request of the newest revision with altered headers. */
async function sendModern(
  { ann }: Pick<Scene, 'ann'>,
  params: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ReceivedResponse> {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'pay', arguments: { amount: 5 }, _meta: ENVELOPE, ...params },
  };
  const usual = {
    ...HEADERS,
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': 'pay',
  };
  return unwrapEvent(await ann.post('/mcp', message, { ...usual, ...headers }));
}

const DEEP = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;

/** Requests whose headers look harmless to a gateway but contradict the body. */
const disguises: readonly (readonly [
  what: string,
  params: object,
  headers: Readonly<Record<string, string>>,
])[] = [
  ['a name of another tool', {}, { 'mcp-name': 'records' }],
  ['no name', {}, { 'mcp-name': '' }],
  ['another method', {}, { 'mcp-method': 'tools/list' }],
  ['two methods', {}, { 'mcp-method': 'tools/list, tools/call' }],
  ['an older revision', {}, { 'mcp-protocol-version': '2025-11-25' }],
  ['a revision to come', {}, { 'mcp-protocol-version': '2099-01-01' }],
  ['an envelope that is a list', { _meta: [ENVELOPE] }, {}],
  [
    'an envelope without capabilities',
    { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': 1 } },
    {},
  ],
  [
    'an envelope of a revision to come',
    { _meta: { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
    {},
  ],
];

const newestAttacks: readonly Attack[] = [
  ...disguises.map(
    ([what, params, headers]): Attack => ({
      name: `a call in the newest revision with ${what} pays nothing`,
      act: (scene) => sendModern(scene, params, headers),
      comes: hasStatus(400),
    }),
  ),
  {
    name: 'a batch in the newest revision pays nothing',
    act: ({ ann }) =>
      ann.post(
        '/mcp',
        JSON.stringify([
          {
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'pay', arguments: { amount: 5 }, _meta: ENVELOPE },
          },
        ]),
        HEADERS,
      ),
    comes: hasStatus(400),
  },
  ...[
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":${DEEP}}}`,
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":${DEEP}}}`,
  ].map(
    (body, index): Attack => ({
      name: `a message with excessive nesting is refused without further effects (${index})`,
      act: ({ ann }) => ann.post('/mcp', body, HEADERS),
      comes: isAnswer(400, {
        error: { code: -32600, message: 'Bad Request: the message is nested more than 500 levels deep' },
      }),
    }),
  ),
];

export const listMcpEndpointAttacks = (victims: Victims): readonly Attack[] => [
  ...protocol,
  ...listResourceAttacks(victims),
  ...tools,
  ...listAgentAttacks(victims),
  ...listStreamAttacks(victims),
  ...newestAttacks,
];
