import { type AgentConfig, defineAgent } from '../../../../../src/index.ts';
import { defineMcpClient, type McpClient, type McpClientConfig } from '../../../../../src/mcp/tools/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import {
  createTestSession,
  type ScriptedReply,
  type TestSession,
  type TestSessionOptions,
} from '../../../../../src/testing/entry.ts';
import {
  createFakeServer,
  type FakeServer,
  type FakeServerOptions,
  type FakeTool,
} from '../../../../fixtures/mcp/fake-server.ts';

/** A tool that returns this text. */
export const createSayingTool = (
  name: string,
  text = `${name} done`,
  more: Partial<FakeTool> = {},
): FakeTool => ({
  name,
  description: `Does ${name}.`,
  run: () => ({ content: [{ type: 'text', text }] }),
  ...more,
});

/** A fake server, and a client of it. */
export interface Scene {
  readonly server: FakeServer;
  readonly client: McpClient;
}

/** A fake server with these tools, and a client of it with this configuration. */
export function createScene(
  tools: readonly FakeTool[],
  { server: options, ...config }: Partial<McpClientConfig> & { readonly server?: FakeServerOptions } = {},
): Scene {
  const server = createFakeServer({ tools, ...options });
  return {
    server,
    client: defineMcpClient({ name: 'shop', url: server.url, fetch: server.fetch, ...config }),
  };
}

/** A session of an agent with these tools, and the replies of its model. */
export const createSession = (
  tools: NonNullable<AgentConfig<string>['tools']>,
  replies: readonly ScriptedReply[],
  more: Partial<Omit<TestSessionOptions, 'model' | 'replies'>> = {},
): TestSession =>
  createTestSession(defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools }), {
    use: [files()],
    ...more,
    replies,
  });

/** A reply that calls one tool. */
export const requestTool = (name: string, input: unknown = {}): ScriptedReply => ({
  calls: [{ name, input }],
});

/** How often the server received each JSON-RPC method. */
export function countMethods({ requests }: FakeServer): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { rpc = '' } of requests) counts.set(rpc, (counts.get(rpc) ?? 0) + 1);
  counts.delete('');
  return Object.fromEntries(counts);
}
