import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMCPClient } from '@ai-sdk/mcp';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client as Client2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { MCPServerStreamableHttp } from '@openai/agents';
import * as v from 'valibot';

/** The parts of a call's result that the client exposes. */
export interface CallOutcome {
  readonly text: string;
  /** `undefined` if the client does not expose it. */
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  /** The progress messages, in order. */
  readonly told: readonly (string | undefined)[];
}

/** A connected client of another library. */
export interface ForeignClient {
  /** Returns the names of the listed tools. */
  tools(): Promise<readonly string[]>;
  call(name: string, input: Readonly<Record<string, string>>): Promise<CallOutcome>;
  close(): Promise<void>;
}

/** The part of a call's result that all clients return. */
const Answer = v.object({
  content: v.array(v.looseObject({ text: v.optional(v.string(), '') })),
  structuredContent: v.optional(v.record(v.string(), v.unknown())),
});

function toCallOutcome(answer: unknown, told: CallOutcome['told'] = []): CallOutcome {
  const { content, structuredContent: structured } = v.parse(Answer, answer);
  return { text: content.map(({ text }) => text).join('\n'), structured, told };
}

const listNames = (tools: readonly { readonly name: string }[]): readonly string[] =>
  tools.map(({ name }) => name);

const WHO = { name: 'foreign-client', version: '1' };

/** The client of the second SDK, restricted to one revision. */
const connectSdk2 =
  (mode: 'legacy' | { readonly pin: string }) =>
  async (url: URL): Promise<ForeignClient> => {
    const client = new Client2(WHO, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    return {
      tools: async () => listNames((await client.listTools()).tools),
      async call(name, input) {
        const told: (string | undefined)[] = [];
        const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message);
        return toCallOutcome(await client.callTool({ name, arguments: input }, { onprogress }), told);
      },
      close: () => client.close(),
    };
  };

/** Returns the answer of the client's user to a question. */
export type Decide = (asked: unknown) => { readonly action: 'decline' | 'cancel' };

/**
 * Connects the first SDK to a stdio MCP server that forwards to our endpoint. `URL` in its arguments is
 * replaced by the endpoint's URL.
 */
async function connectBridge(url: URL, args: readonly string[], decide?: Decide): Promise<ForeignClient> {
  const client = new Client(WHO, { capabilities: decide ? { elicitation: {} } : {} });
  if (decide) client.setRequestHandler(ElicitRequestSchema, ({ params }) => decide(params));
  const [program = '', ...flags] = args.map((arg) => (arg === 'URL' ? url.href : arg));
  const main = createRequire(import.meta.url).resolve(program);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, ...flags],
      // The folder for mcp-remote's credentials. The default is in the home folder of the person who runs the
      // tests.
      env: {
        ...getDefaultEnvironment(),
        MCP_REMOTE_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'holdfast-remote-')),
      },
      stderr: 'ignore',
    }),
  );
  return {
    tools: async () => listNames((await client.listTools()).tools),
    async call(name, input) {
      const told: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message);
      return toCallOutcome(
        await client.callTool({ name, arguments: input }, undefined, { onprogress }),
        told,
      );
    },
    close: () => client.close(),
  };
}

async function connectAiSdk(url: URL): Promise<ForeignClient> {
  const client = await createMCPClient({ transport: { type: 'http', url: url.href } });
  return {
    tools: async () => listNames((await client.listTools()).tools),
    call: async (name, input) => toCallOutcome(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

/** A text, or a link to a resource. */
const Block = v.object({ text: v.optional(v.string()) });
/** The form in which LangChain returns a result. A result with one block is a string. */
const ToolMessage = v.object({
  content: v.union([v.array(Block), v.string()]),
  artifact: v.array(v.object({ type: v.string(), data: v.record(v.string(), v.unknown()) })),
});

async function connectLangChain(url: URL): Promise<ForeignClient> {
  const told: (string | undefined)[] = [];
  const client = new MultiServerMCPClient({
    mcpServers: { published: { transport: 'http', url: url.href } },
    onProgress: ({ message }) => void told.push(message),
  });
  const tools = await client.getTools();
  return {
    tools: async () => listNames(tools),
    async call(name, input) {
      told.length = 0;
      const tool = tools.find((one) => one.name === name);
      const said = await tool?.invoke({ type: 'tool_call', id: 'one', name, args: input });
      const { content, artifact } = v.parse(ToolMessage, said);
      const structured = artifact.find(({ type }) => type === 'mcp_structured_content')?.data;
      const blocks = typeof content === 'string' ? [{ text: content }] : content.filter(({ text }) => text);
      return toCallOutcome({ content: blocks, structuredContent: structured }, [...told]);
    },
    close: () => client.close(),
  };
}

async function openAiAgents(url: URL): Promise<ForeignClient> {
  const server = new MCPServerStreamableHttp({ url: url.href, name: 'published' });
  await server.connect();
  return {
    tools: async () => listNames(await server.listTools()),
    call: async (name, input) => toCallOutcome(await server.callToolResult(name, { ...input })),
    close: () => server.close(),
  };
}

const REMOTE = ['mcp-remote/dist/proxy.js', 'URL', '--allow-http', '--transport', 'http-only'];
const GATEWAY = ['supergateway/dist/index.js', '--streamableHttp', 'URL', '--logLevel', 'none'];

/** mcp-remote, which uses 2026-07-28 with the endpoint and 2025-11-25 with its own client. */
export const connectTranslating = (url: URL, decide?: Decide): Promise<ForeignClient> =>
  connectBridge(url, [...REMOTE, '--protocol', 'auto'], decide);

/** All tested clients by name. */
export const FOREIGN_CLIENTS: Readonly<Record<string, (url: URL) => Promise<ForeignClient>>> = {
  "the second SDK's client, of 2025-11-25": connectSdk2('legacy'),
  "the second SDK's client, of 2026-07-28": connectSdk2({ pin: '2026-07-28' }),
  '@ai-sdk/mcp': connectAiSdk,
  "LangChain's adapters": connectLangChain,
  '@openai/agents': openAiAgents,
  'mcp-remote': (url) => connectBridge(url, REMOTE),
  'mcp-remote, of 2026-07-28': connectTranslating,
  supergateway: (url) => connectBridge(url, GATEWAY),
};
