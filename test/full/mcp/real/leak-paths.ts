import type { AgentConfig } from '../../../../src/index.ts';
import {
  createMcpToolFactory,
  defineMcpToolGroup,
  type McpClient,
  type McpClientConfig,
  type McpToolFactory,
} from '../../../../src/mcp/tools/entry.ts';
import { toolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import type { RecordedRequest, ServerName } from '../servers/provided.ts';
import type { RealRun } from './real-run.ts';
import { actAtProgress, callLongOperation, createCallReply, type RealTalk } from './real-talk.ts';

/** A way in which a turn sends data to a server. Only the data that a converter allows may be sent. */
export interface LeakPath {
  readonly replies: readonly ScriptedReply[];
  readonly agent?: (client: McpClient) => Partial<AgentConfig<'agent'>>;
  readonly client?: Partial<McpClientConfig>;
  /** Defaults to `everything`. */
  readonly server?: ServerName;
  /** The turn to run. By default, the message is sent and answered. */
  readonly turn?: Turn;
  /** The kinds of requests that must be in the record (see `getKind`). Defaults to a call. */
  readonly sends?: readonly string[];
}

type Turn = (talk: RealTalk, body: Readonly<Record<string, unknown>>, run: RealRun) => Promise<unknown>;

const ECHO = createCallReply('echo', { message: 'Hello.' });
const ASK = createCallReply('trigger-elicitation-request');
const createTool =
  (make: (factory: McpToolFactory) => NonNullable<AgentConfig<'agent'>['tools']>[number]) =>
  (client: McpClient) => ({ tools: [make(createMcpToolFactory({ clients: [client] }))] });

const decideTurn =
  (decision: Readonly<Record<string, unknown>>): Turn =>
  async (talk, body) => {
    const saying = talk.say(body);
    await talk.decide(await talk.pending(), { ...decision, reason: 'planted-reason-b7b1' });
    return saying;
  };

export const LEAK_PATHS: Readonly<Record<string, LeakPath>> = {
  'a list of tools': { replies: [], sends: ['tools/list'] },
  'a tool of a list': { replies: [ECHO] },
  'a tool by name': { replies: [ECHO], agent: createTool((factory) => factory.toolByName('echo')) },
  'a required tool': { replies: [ECHO], agent: createTool((factory) => factory.requiredToolByName('echo')) },
  'an unfolding tool by names': {
    replies: [createCallReply('more'), ECHO],
    agent: createTool((factory) => factory.unfoldingByName('more', 'More tools.', ['echo'])),
  },
  'an unfolding tool by patterns': {
    replies: [createCallReply('more'), ECHO],
    agent: createTool((factory) => factory.unfoldingMatching('more', 'More tools.', [/^ec/])),
  },
  'an unfolding tool with a filter': {
    replies: [createCallReply('more'), ECHO],
    agent: createTool((factory) => factory.unfolding('more', 'More tools.', ({ name }) => name === 'echo')),
  },
  'a tool group': {
    replies: [ECHO],
    agent: (client) => ({
      tools: [
        toolGroup(defineMcpToolGroup({ role: 'remote', description: 'Remote.', clients: [client] }), {
          permissions: ['internet-access'],
        }),
      ],
    }),
  },
  "an answer to the server's question": {
    replies: [ASK],
    turn: decideTurn({ decision: 'edit', input: { name: 'Ada' } }),
    sends: ['tools/call', 'answer'],
  },
  'a question that is declined': {
    replies: [ASK],
    turn: decideTurn({ decision: 'reject' }),
    sends: ['tools/call', 'answer'],
  },
  'a question after which the call restarts': {
    replies: [ASK],
    client: { effects: { 'trigger-elicitation-request': 'idempotent' } },
    turn: decideTurn({ decision: 'edit', input: { name: 'Ada' } }),
    sends: ['tools/call', 'notifications/cancelled', 'tools/call', 'answer'],
  },
  'a call that is cancelled': {
    replies: [callLongOperation(60)],
    turn: (talk, body) =>
      actAtProgress(talk.stream(body), () => talk.via(`${talk.session}/cancel`, { method: 'POST' })),
    sends: ['tools/call', 'notifications/cancelled'],
  },
  'a stream that is resumed': {
    replies: [callLongOperation(1.5)],
    server: 'everything-stdio',
    turn: (talk, body, run) => actAtProgress(talk.stream(body), () => run.cut()),
    sends: ['tools/call', 'resume'],
  },
  'a session that continues in the next turn': {
    replies: [ECHO, 'One.', ECHO],
    client: { keepSession: true },
    turn: async (talk, body) => {
      await talk.say(body);
      return talk.say(body);
    },
    sends: ['tools/call', 'ping', 'tools/call'],
  },
  'the transport of before': { replies: [ECHO], server: 'everything-sse' },
  'a question by the transport of before': {
    replies: [ASK],
    server: 'everything-sse',
    turn: decideTurn({ decision: 'edit', input: { name: 'Ada' } }),
    sends: ['tools/call', 'answer'],
  },
};

/** The paths with 2026-07-28, which has no sessions, so each request identifies its caller. */
export const LEAK_PATHS_2026: Readonly<Record<string, LeakPath>> = {
  'a list of tools': { replies: [], server: 'sdk-2026', sends: [] },
  'a call': { replies: [createCallReply('count_letters', { word: 'tide' })], server: 'sdk-2026' },
  'a call that is cancelled': {
    replies: [createCallReply('spell', { word: 'tide'.repeat(60) })],
    server: 'sdk-2026',
    turn: (talk, body) =>
      actAtProgress(talk.stream(body), () => talk.via(`${talk.session}/cancel`, { method: 'POST' })),
  },
  "an answer to the server's question": {
    replies: [createCallReply('ask_word')],
    server: 'sdk-2026',
    turn: decideTurn({ decision: 'edit', input: { word: 'tide' } }),
    sends: ['tools/call', 'tools/call'],
  },
  'a question that is declined': {
    replies: [createCallReply('ask_word')],
    server: 'sdk-2026',
    turn: decideTurn({ decision: 'reject' }),
    sends: ['tools/call', 'tools/call'],
  },
};

/**
 * Returns the method of a message, `answer` for a response to the server, `resume` for a resumed stream, or the
 * HTTP method.
 */
export function getKind({ method, headers, body }: RecordedRequest): string {
  if (body !== '') return JSON.parse(body).method ?? 'answer';
  return headers.includes('last-event-id') ? 'resume' : method;
}

/** Returns the ids of the sessions in these requests. */
export const listSessions = (requests: readonly RecordedRequest[]): readonly string[] => [
  ...new Set(
    requests.flatMap(({ headers }) => {
      const at = headers.findIndex((word) => word.toLowerCase() === 'mcp-session-id');
      return at < 0 ? [] : [headers[at + 1] ?? ''];
    }),
  ),
];
