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

/** What a call came to, as far as a client lets its user see it. */
export interface Called {
  readonly text: string;
  /** `undefined` where the client keeps it to itself. */
  readonly structured: Readonly<Record<string, unknown>> | undefined;
  /** The words of its progress, in turn. */
  readonly told: readonly (string | undefined)[];
}

/** A client that is not ours, connected. */
export interface ForeignClient {
  /** The names of the tools that it lists. */
  tools(): Promise<readonly string[]>;
  call(name: string, input: Readonly<Record<string, string>>): Promise<Called>;
  close(): Promise<void>;
}

/** What all of them understand as the answer of a call. */
const Answer = v.object({
  content: v.array(v.looseObject({ text: v.optional(v.string(), '') })),
  structuredContent: v.optional(v.record(v.string(), v.unknown())),
});

function fromAnswer(answer: unknown, told: Called['told'] = []): Called {
  const { content, structuredContent: structured } = v.parse(Answer, answer);
  return { text: content.map(({ text }) => text).join('\n'), structured, told };
}

const names = (tools: readonly { readonly name: string }[]): readonly string[] =>
  tools.map(({ name }) => name);

const WHO = { name: 'foreign-client', version: '1' };

/** The second SDK's client, which speaks one revision only. */
const sdk2 =
  (mode: 'legacy' | { readonly pin: string }) =>
  async (url: URL): Promise<ForeignClient> => {
    const client = new Client2(WHO, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    return {
      tools: async () => names((await client.listTools()).tools),
      async call(name, input) {
        const told: (string | undefined)[] = [];
        const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message);
        return fromAnswer(await client.callTool({ name, arguments: input }, { onprogress }), told);
      },
      close: () => client.close(),
    };
  };

/** Answers a question to the person behind a client. */
export type Decide = (asked: unknown) => { readonly action: 'decline' | 'cancel' };

/**
 * A program that is an MCP server on standard input and output, and passes all on to ours; asked by the first SDK. In its
 * arguments, `URL` stands for the endpoint's.
 */
async function bridge(url: URL, args: readonly string[], decide?: Decide): Promise<ForeignClient> {
  const client = new Client(WHO, { capabilities: decide ? { elicitation: {} } : {} });
  if (decide) client.setRequestHandler(ElicitRequestSchema, ({ params }) => decide(params));
  const [program = '', ...flags] = args.map((arg) => (arg === 'URL' ? url.href : arg));
  const main = createRequire(import.meta.url).resolve(program);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main, ...flags],
      // Where mcp-remote keeps what it knows of those who signed in: not in the home of whoever runs the tests.
      env: {
        ...getDefaultEnvironment(),
        MCP_REMOTE_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'holdfast-remote-')),
      },
      stderr: 'ignore',
    }),
  );
  return {
    tools: async () => names((await client.listTools()).tools),
    async call(name, input) {
      const told: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message);
      return fromAnswer(await client.callTool({ name, arguments: input }, undefined, { onprogress }), told);
    },
    close: () => client.close(),
  };
}

async function aiSdk(url: URL): Promise<ForeignClient> {
  const client = await createMCPClient({ transport: { type: 'http', url: url.href } });
  return {
    tools: async () => names((await client.listTools()).tools),
    call: async (name, input) => fromAnswer(await client.callTool({ name, arguments: input })),
    close: () => client.close(),
  };
}

/** Words, or a link to a resource. */
const Block = v.object({ text: v.optional(v.string()) });
/** What LangChain makes of an answer: of one block, a text. */
const ToolMessage = v.object({
  content: v.union([v.array(Block), v.string()]),
  artifact: v.array(v.object({ type: v.string(), data: v.record(v.string(), v.unknown()) })),
});

async function langChain(url: URL): Promise<ForeignClient> {
  const told: (string | undefined)[] = [];
  const client = new MultiServerMCPClient({
    mcpServers: { published: { transport: 'http', url: url.href } },
    onProgress: ({ message }) => void told.push(message),
  });
  const tools = await client.getTools();
  return {
    tools: async () => names(tools),
    async call(name, input) {
      told.length = 0;
      const tool = tools.find((one) => one.name === name);
      const said = await tool?.invoke({ type: 'tool_call', id: 'one', name, args: input });
      const { content, artifact } = v.parse(ToolMessage, said);
      const structured = artifact.find(({ type }) => type === 'mcp_structured_content')?.data;
      const blocks = typeof content === 'string' ? [{ text: content }] : content.filter(({ text }) => text);
      return fromAnswer({ content: blocks, structuredContent: structured }, [...told]);
    },
    close: () => client.close(),
  };
}

async function openAiAgents(url: URL): Promise<ForeignClient> {
  const server = new MCPServerStreamableHttp({ url: url.href, name: 'published' });
  await server.connect();
  return {
    tools: async () => names(await server.listTools()),
    call: async (name, input) => fromAnswer(await server.callToolResult(name, { ...input })),
    close: () => server.close(),
  };
}

const REMOTE = ['mcp-remote/dist/proxy.js', 'URL', '--allow-http', '--transport', 'http-only'];
const GATEWAY = ['supergateway/dist/index.js', '--streamableHttp', 'URL', '--logLevel', 'none'];

/** mcp-remote, where it speaks 2026-07-28 to an endpoint, and 2025-11-25 to its own client. */
export const translating = (url: URL, decide?: Decide): Promise<ForeignClient> =>
  bridge(url, [...REMOTE, '--protocol', 'auto'], decide);

/** All that the tests know, by name. */
export const FOREIGN_CLIENTS: Readonly<Record<string, (url: URL) => Promise<ForeignClient>>> = {
  "the second SDK's client, of 2025-11-25": sdk2('legacy'),
  "the second SDK's client, of 2026-07-28": sdk2({ pin: '2026-07-28' }),
  '@ai-sdk/mcp': aiSdk,
  "LangChain's adapters": langChain,
  '@openai/agents': openAiAgents,
  'mcp-remote': (url) => bridge(url, REMOTE),
  'mcp-remote, of 2026-07-28': translating,
  supergateway: (url) => bridge(url, GATEWAY),
};
