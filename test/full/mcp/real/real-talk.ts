import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createHoldfast, type HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { type AgentConfig, defineAgent } from '../../../../src/index.ts';
import {
  defineMcpClient,
  type McpClient,
  type McpClientConfig,
  mcpToolProvider,
} from '../../../../src/mcp/tools/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../../../src/testing/entry.ts';
import { createTestApp } from '../../../gate/workerd/http/app.ts';
import {
  createSessionPath,
  getSessionName,
  post,
  readJson,
  readSentEvents,
  type Send,
  type SentEvent,
  SSE_HEADERS,
} from '../../../gate/workerd/http/client.ts';
import { answer } from '../../../gate/workerd/http/waiting.ts';
import type { RealRun } from './real-run.ts';

export interface RealTalkOptions {
  readonly replies: readonly ScriptedReply[];
  /** Overrides of the client's default options. */
  readonly client?: Partial<McpClientConfig> | undefined;
  /** Overrides of the agent's default options. By default, the agent has all tools of the server. */
  readonly agent?: ((client: McpClient) => Partial<AgentConfig<'agent'>>) | undefined;
  readonly app?: Partial<HoldfastConfig> | undefined;
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A session over HTTP. Its agent uses the tools of a real server. */
export interface RealTalk {
  /** The path of the session. */
  readonly session: string;
  readonly via: Send;
  readonly model: ScriptedModel;
  /** Sends a message with additional headers, and returns the result of its turn. */
  say(
    body?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>>;
  /** Sends a message and yields the events of its stream. */
  stream(body?: Readonly<Record<string, unknown>>): AsyncGenerator<SentEvent>;
  /** Returns the same session and script on a new Worker. */
  restarted(): RealTalk;
  /** Runs an open turn in a new invocation, as its alarm would. */
  resume(turn: string): Promise<void>;
  /** Returns the names of the tools in the last model request, sorted. */
  offered(): readonly string[];
  /** Returns the results of earlier calls in the last model request, oldest first. */
  shown(): readonly string[];
  /** Waits until a call is pending, and returns it. */
  pending(): Promise<PendingCall>;
  /** Decides about the pending call, and returns the result of the turn. */
  decide(pending: PendingCall, decision: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

type RealTalkSend = (
  body: Readonly<Record<string, unknown>> | undefined,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/** The pending call of a session. */
export interface PendingCall {
  readonly tool: string;
  readonly message: string;
  readonly allows: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly links: { readonly approvals: string };
}

/**
 * Opens a session of an agent with a run's server. The tests' Worker does not have an agent of this name, so
 * it does not run the turns.
 */
export function createRealTalk(run: RealRun, options: RealTalkOptions): RealTalk {
  return createTalk(run, options, {
    session: createSessionPath('agent'),
    model: scriptedModel(options.replies),
  });
}

function createTalk(
  run: RealRun,
  options: RealTalkOptions,
  { session, model }: Pick<RealTalk, 'session' | 'model'>,
): RealTalk {
  const { url } = run;
  const { agent: ofAgent = createAllTools, app = {}, headers = {} } = options;
  const agent = defineAgent({
    name: 'agent',
    description: 'Uses a real MCP server.',
    instructions: 'Follow the script.',
    model,
    ...ofAgent(defineMcpClient({ name: 'real', url, ...options.client })),
  });
  const config = { agents: [agent], limits: PAID, ...app, use: [files(), ...(app.use ?? [])] };
  const via = createTestApp(config);
  const send: RealTalkSend = (body = {}, more = {}) =>
    post(session, { message: 'Go on.', ...body }, { via, headers: { ...headers, ...more } });
  const getLastRequest = () => model.requests.at(-1) ?? { messages: [], tools: [] };
  return {
    session,
    via,
    model,
    say: async (body, more) => readJson(await send(body, more)),
    stream: async function* (body) {
      yield* readSentEvents(await send(body, SSE_HEADERS));
    },
    restarted: () => createTalk(run, options, { session, model }),
    async resume(turn) {
      const { TurnRunner } = createHoldfast(config);
      await new TurnRunner(createExecutionContext(), { ...env }).run({ name: getSessionName(session), turn });
    },
    offered: () => getLastRequest().tools.map(({ name }) => name),
    shown: () =>
      getLastRequest().messages.flatMap((message) => (message.role === 'tool' ? message.text : [])),
    pending: () => readPending(session, via, headers),
    decide: async ({ links }, decision) =>
      readJson(await answer(links.approvals, decision, { via, headers })),
  };
}

/** Keeps a turn in one invocation, because another invocation would run in the tests' Worker. */
const PAID = { subrequests: 10_000 };

/** Offers all tools of a server directly. */
export const createAllTools = (client: McpClient) => ({ tools: [mcpToolProvider({ clients: [client] })] });

/** Polls the session, because no event announces a pending call. */
async function readPending(session: string, via: Send, headers: HeadersInit): Promise<PendingCall> {
  for (;;) {
    const { pending } = await readJson(await via(session, { headers }));
    const [one] = Array.isArray(pending) ? pending : [];
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Reads a turn's stream, calls `act` once at the first progress, and returns the result of the turn. */
export async function actAtProgress(
  events: AsyncGenerator<SentEvent>,
  act: () => Promise<unknown>,
): Promise<Record<string, unknown> | undefined> {
  let isDue = true;
  for await (const { event, data } of events) {
    if (event === 'answer') return data;
    if (event !== 'progress' || !isDue) continue;
    isDue = false;
    await act();
  }
  return undefined;
}

/**
 * Returns a reply that calls the everything server's long operation for this many seconds, with ten progress
 * messages per second.
 */
export const callLongOperation = (duration: number): ScriptedReply =>
  createCallReply('trigger-long-running-operation', { duration, steps: duration * 10 });

/** Returns a reply that calls one tool. */
export const createCallReply = (
  name: string,
  input: Readonly<Record<string, unknown>> = {},
): ScriptedReply => ({
  calls: [{ name, input }],
});
