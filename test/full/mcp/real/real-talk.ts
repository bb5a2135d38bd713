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
import { appWith } from '../../../gate/workerd/http/app.ts';
import {
  eventsOf,
  json,
  newSession,
  post,
  type Send,
  type Sent,
  SSE,
  sessionName,
} from '../../../gate/workerd/http/client.ts';
import { answer } from '../../../gate/workerd/http/waiting.ts';
import type { RealRun } from './real-run.ts';

export interface RealTalkOptions {
  readonly replies: readonly ScriptedReply[];
  /** Over what every client of these tests says. */
  readonly client?: Partial<McpClientConfig> | undefined;
  /** Over what every agent of these tests says; it has all tools of the server, each by itself, unless given. */
  readonly agent?: ((client: McpClient) => Partial<AgentConfig<'agent'>>) | undefined;
  readonly app?: Partial<HoldfastConfig> | undefined;
  /** Of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A session over HTTP with an agent whose tools are a real server's. */
export interface RealTalk {
  /** Its path. */
  readonly session: string;
  readonly via: Send;
  readonly model: ScriptedModel;
  /** Sends a message, with these headers too, and answers what the turn came to. */
  say(
    body?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>>;
  /** Sends a message, and answers the events of its stream as they arrive. */
  stream(body?: Readonly<Record<string, unknown>>): AsyncGenerator<Sent>;
  /** The same session and the same script, by a Worker that has just started. */
  restarted(): RealTalk;
  /** Runs a turn that nobody holds, in an invocation of its own, as its alarm would have it run. */
  goOn(turn: string): Promise<void>;
  /** The names of the tools that the model was offered with its last request, sorted. */
  offered(): readonly string[];
  /** What the model was shown with its last request, of the calls that it made before: oldest first. */
  shown(): readonly string[];
  /** Waits until a call waits for somebody. */
  pending(): Promise<Pending>;
  /** Decides about what is pending, and answers what the turn came to. */
  decide(pending: Pending, decision: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

type RealTalkSend = (
  body: Readonly<Record<string, unknown>> | undefined,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/** What a session says of the one call that waits. */
export interface Pending {
  readonly tool: string;
  readonly message: string;
  readonly allows: readonly string[];
  readonly schema: Readonly<Record<string, unknown>>;
  readonly links: { readonly approvals: string };
}

/**
 * Talks to an agent with a run's server. The agent's name is one whose turns the Worker of the tests leaves alone, since it
 * does not have this agent.
 */
export function realTalk(run: RealRun, options: RealTalkOptions): RealTalk {
  return talkIn(run, options, { session: newSession('agent'), model: scriptedModel(options.replies) });
}

function talkIn(
  run: RealRun,
  options: RealTalkOptions,
  { session, model }: Pick<RealTalk, 'session' | 'model'>,
): RealTalk {
  const { url } = run;
  const { agent: ofAgent = allTools, app = {}, headers = {} } = options;
  const agent = defineAgent({
    name: 'agent',
    description: 'Uses a real MCP server.',
    instructions: 'Follow the script.',
    model,
    ...ofAgent(defineMcpClient({ name: 'real', url, ...options.client })),
  });
  const config = { agents: [agent], limits: PAID, ...app, use: [files(), ...(app.use ?? [])] };
  const via = appWith(config);
  const send: RealTalkSend = (body = {}, more = {}) =>
    post(session, { message: 'Go on.', ...body }, { via, headers: { ...headers, ...more } });
  const last = () => model.requests.at(-1) ?? { messages: [], tools: [] };
  return {
    session,
    via,
    model,
    say: async (body, more) => json(await send(body, more)),
    stream: async function* (body) {
      yield* eventsOf(await send(body, SSE));
    },
    restarted: () => talkIn(run, options, { session, model }),
    async goOn(turn) {
      const { TurnRunner } = createHoldfast(config);
      await new TurnRunner(createExecutionContext(), { ...env }).run({ name: sessionName(session), turn });
    },
    offered: () => last().tools.map(({ name }) => name),
    shown: () => last().messages.flatMap((message) => (message.role === 'tool' ? message.text : [])),
    pending: () => pendingIn(session, via, headers),
    decide: async ({ links }, decision) => json(await answer(links.approvals, decision, { via, headers })),
  };
}

/** A turn stays in one invocation, since the next one would be run by the Worker of the tests. */
const PAID = { subrequests: 10_000 };

/** All tools of a server, each by itself. */
export const allTools = (client: McpClient) => ({ tools: [mcpToolProvider({ clients: [client] })] });

/** A session says what it waits for whenever it is asked; nothing tells when it begins to. */
async function pendingIn(session: string, via: Send, headers: HeadersInit): Promise<Pending> {
  for (;;) {
    const { pending } = await json(await via(session, { headers }));
    const [one] = Array.isArray(pending) ? pending : [];
    if (one) return one;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Reads a turn's stream, acts once when a server has told of its progress, and answers what the turn came to. */
export async function atProgress(
  events: AsyncGenerator<Sent>,
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

/** A reply that has the everything server work for so many seconds, and tell of it ten times a second. */
export const worksFor = (duration: number): ScriptedReply =>
  calls('trigger-long-running-operation', { duration, steps: duration * 10 });

/** A reply that calls one tool. */
export const calls = (name: string, input: Readonly<Record<string, unknown>> = {}): ScriptedReply => ({
  calls: [{ name, input }],
});
