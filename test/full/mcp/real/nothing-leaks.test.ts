import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { allowKeys, denyKeys, type MetaConverter, passThrough } from '../../../../src/mcp/tools/entry.ts';
import { logTo } from '../../../../src/modules/app/entry.ts';
import { getSessionId, post, readAllEvents, SSE_HEADERS } from '../../../gate/workerd/http/client.ts';
import type { RecordedRequest } from '../servers/provided.ts';
import { getKind, LEAK_PATHS, LEAK_PATHS_2026, type LeakPath, listSessions } from './leak-paths.ts';
import { createRealRun, type RealRun } from './real-run.ts';
import { createAllTools, createCallReply, createRealTalk } from './real-talk.ts';

/** All data that a server must not receive contains this word, in its keys and values. */
const PLANTED = /planted/i;
/** The base64 encodings of the word, for each alignment. */
const ENCODED = /cGxhbnRlZ|BsYW50ZW|wbGFudGVk/;

const CONTEXT = {
  plantedTenant: 'planted-tenant-8d1f',
  plantedKey: 'planted-key-51c7',
  plantedPlan: { plantedDepth: ['planted-deep-e90a'] },
};
const FROM_HEADER = { plantedHeader: 'planted-header-0c44' };
const { plantedTenant, plantedPlan } = CONTEXT;

const converters: readonly (readonly [string, MetaConverter | undefined, object])[] = [
  ['without a converter', undefined, {}],
  ['with allowKeys', allowKeys('plantedTenant', 'absent'), { plantedTenant }],
  ['with denyKeys', denyKeys('plantedKey'), { plantedTenant, plantedPlan, ...FROM_HEADER }],
  ['with passThrough', passThrough, { ...CONTEXT, ...FROM_HEADER }],
];

/** The first secret is the client's bearer token. No other secret may be sent. */
const SECRETS = { planted_bearer: 'planted-bearer-77e2', planted_other: 'planted-other-3b64' };

const headers = {
  authorization: 'Bearer planted-inbound-6e6b',
  cookie: 'planted=planted-cookie-6e6b',
  'x-planted': FROM_HEADER.plantedHeader,
};

const app = {
  auth: () => ({ id: 'planted-caller-90fc', tenant: 'planted-team-17aa', roles: ['planted-role-c3d8'] }),
  secrets: () => SECRETS,
  http: { bodyContext: Object.keys(CONTEXT), contextHeaders: { 'x-planted': 'plantedHeader' } },
};

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up planted things.',
  run: (_, { blackboard }) => {
    blackboard.add('planted-note-d7a3', { name: 'plantedNote' });
    return 'planted-result-2f09';
  },
});

// Silences the warning of each session about a tool that it leaves out.
beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => undefined));
afterAll(() => void vi.restoreAllMocks());

/** Runs a turn on this path, with planted data wherever possible, until it has released the server. */
async function runTurn(
  run: RealRun,
  { agent = createAllTools, client, replies, turn = (talk, body) => talk.say(body) }: LeakPath,
  meta: MetaConverter | undefined,
): Promise<string> {
  const talk = createRealTalk(run, {
    client: { meta, bearer: 'planted_bearer', ...client },
    agent: (made) => {
      const own = agent(made);
      return { ...own, instructions: 'planted-instructions-4be5', tools: [...(own.tools ?? []), lookUp] };
    },
    replies: [createCallReply('look_up'), ...replies, 'planted-answer-55d0'],
    app,
    headers,
  });
  await turn(talk, { message: 'planted-message-a1d0', context: CONTEXT }, run);
  if (!client?.keepSession) await waitUntilLetGo(run);
  return getSessionId(talk.session);
}

/**
 * Waits until the invocation has ended its sessions with the server, which happens after the answer. Sessions
 * of the old transport end with their stream.
 */
async function waitUntilLetGo(run: RealRun): Promise<void> {
  for (;;) {
    const requests = await run.requests();
    const kinds = requests.map(getKind);
    const begun = requests.filter(({ headers: sent }) => sent.includes('mcp-session-id')).length > 0;
    if (!begun || countKind(kinds, 'initialize') === countKind(kinds, 'DELETE')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const countKind = (kinds: readonly string[], kind: string): number =>
  kinds.filter((one) => one === kind).length;

const isCall = (request: RecordedRequest): boolean => getKind(request) === 'tools/call';

/**
 * Returns a request without the bearer token and a call's `_meta`, which are allowed. Another check covers
 * `_meta`.
 */
function getRest(request: RecordedRequest): string {
  const { method, url, headers: sent, body } = request;
  const message = body === '' ? {} : JSON.parse(body);
  if (isCall(request)) delete message.params._meta;
  const bearer = `Bearer ${SECRETS.planted_bearer}`;
  return [method, url, ...sent.filter((value) => value !== bearer), JSON.stringify(message)].join('\n');
}

/** The allowed headers: those of the protocol, of HTTP, and of the platform. */
const HEADERS = new Set([
  'accept',
  'authorization',
  'cf-worker',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
]);

/** Returns `true` for the name of a header that is not allowed. Names and values alternate in the list. */
const isUnknownName = (word: string, at: number): boolean => at % 2 === 0 && !HEADERS.has(word.toLowerCase());

/** Asserts that no request contains planted data. */
function expectNothingPlanted(requests: readonly RecordedRequest[], session: string): void {
  for (const text of requests.map(getRest)) {
    expect(text).not.toMatch(PLANTED);
    expect(text).not.toMatch(ENCODED);
    expect(text).not.toContain(session);
  }
  expect(requests.flatMap(({ headers: sent }) => sent.filter(isUnknownName))).toEqual([]);
}

const listMetas = (requests: readonly RecordedRequest[]): readonly unknown[] =>
  requests.filter(isCall).map(({ body }) => JSON.parse(body).params._meta);

const CALL_META = {
  'holdfast/idempotency-key': expect.stringMatching(/^[0-9a-f]{32}\.\d+\.\d+$/),
  progressToken: expect.any(Number),
};

/** The tests are concurrent, because some of them wait for an answer. */
describe.concurrent.each(converters)('the requests to an MCP server %s (MCP-05)', (_, meta, crossing) => {
  it.each(Object.entries(LEAK_PATHS))('contain only the allowed data for %s', async (_name, path) => {
    const run = createRealRun(path.server ?? 'everything');
    const session = await runTurn(run, path, meta);
    const requests = await run.requests();
    const { sends = ['tools/call'] } = path;
    const kinds = requests.map(getKind);
    const isLeft = path.server === 'everything-sse' || path.client?.keepSession;
    const end = isLeft ? [] : ['DELETE'];
    const all = ['initialize', 'notifications/initialized', 'tools/list', ...end, ...sends];
    expect(kinds).toEqual(expect.arrayContaining(all));
    expect(countKind(kinds, 'tools/call')).toBe(countKind(sends, 'tools/call'));
    expectNothingPlanted(requests, session);
    for (const sent of listMetas(requests)) expect(sent).toEqual({ ...crossing, ...CALL_META });
  });

  it.each(Object.entries(LEAK_PATHS_2026))(
    'contain only the allowed data for %s, with revision 2026-07-28',
    async (_name, path) => {
      const run = createRealRun(path.server ?? 'sdk-2026');
      const session = await runTurn(run, path, meta);
      const requests = await run.requests();
      const { sends = ['tools/call'] } = path;
      const kinds = requests.map(getKind);
      expect(kinds.filter((kind) => kind !== 'server/discover')).toEqual(['tools/list', ...sends]);
      expectNothingPlanted(requests, session);
      for (const sent of listMetas(requests)) {
        expect(sent).toEqual({
          ...crossing,
          ...CALL_META,
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'holdfast', version: expect.any(String) },
          'io.modelcontextprotocol/clientCapabilities': expect.any(Object),
        });
      }
    },
  );
});

it('no response, stream, event or log line contains the id of a stored MCP session', async () => {
  const run = createRealRun('everything');
  const seen: unknown[] = [];
  const talk = createRealTalk(run, {
    replies: [createCallReply('get-env'), 'One.', createCallReply('echo', { message: 'Hello.' }), 'Two.'],
    client: { keepSession: true },
    app: { use: [logTo((line) => void seen.push(line))] },
  });
  seen.push(await talk.say());
  const streamed = await post(talk.session, { message: 'Go on.' }, { via: talk.via, headers: SSE_HEADERS });
  seen.push(await readAllEvents(streamed));
  for (const path of [talk.session, `${talk.session}/events`]) {
    seen.push(await (await talk.via(path)).text());
  }
  const ids = listSessions(await run.requests());
  expect(ids).toHaveLength(1);
  expect(JSON.stringify(seen)).toContain('Echo: Hello.');
  for (const id of ids) expect(JSON.stringify(seen)).not.toContain(id);
});
