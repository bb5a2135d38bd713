import { type Agent, defineAgent, type ToolSource } from '../../../../src/index.ts';
import { defineMcpClient, type Fetch, type McpClient } from '../../../../src/mcp/tools/entry.ts';
import type { CrashKit } from '../../../../src/testing/crash-matrix/entry.ts';
import { IDEMPOTENCY_KEY } from '../../../doors/mcp.ts';
import {
  createFakeServer,
  type FakeServer,
  type FakeServerOptions,
  type FakeTool,
} from '../../../fixtures/mcp/fake-server.ts';

/** A server that is not affected by crashes, with a record of its calls. */
export interface Shop {
  readonly server: FakeServer;
  /** The idempotency keys of each execution, by the name of the tool. */
  readonly ran: ReadonlyMap<string, string[]>;
}

/** The annotations of the tools, and the resulting effects. */
const TOOLS = {
  look: { annotations: { readOnlyHint: true }, effect: 'read' },
  put: { annotations: { idempotentHint: true }, effect: 'idempotent' },
  pay: { annotations: {}, effect: 'once' },
} as const;

type Name = keyof typeof TOOLS;

export function makeShop(options: FakeServerOptions = {}): Shop {
  const ran = new Map<string, string[]>();
  const createTool = (name: Name): FakeTool => ({
    name,
    description: `Does ${name}.`,
    annotations: TOOLS[name].annotations,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    run(_, { _meta }) {
      ran.set(name, [...(ran.get(name) ?? []), String(_meta?.[IDEMPOTENCY_KEY])]);
      return { content: [{ type: 'text', text: `${name} done` }] };
    },
  });
  return {
    server: createFakeServer({
      ...options,
      tools: [createTool('look'), createTool('put'), createTool('pay')],
    }),
    ran,
  };
}

/** An agent with the shop's tools. `toolsOf` creates them from the client. */
export function createClerk(kit: CrashKit<Shop>, toolsOf: (client: McpClient) => ToolSource): Agent {
  const client = defineMcpClient({
    name: 'shop',
    url: kit.world.server.url,
    // The clock of a play also advances while a request runs, so short timeouts would expire.
    connectTimeout: 900_000,
    timeout: 900_000,
    elicitation: 'refuse',
    fetch: reportCalls(kit),
  });
  return defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [toolsOf(client)],
  });
}

/** Wraps `fetch` to report the effect of each call. A crash can happen before or after it. */
const reportCalls =
  ({ world, effect }: CrashKit<Shop>): Fetch =>
  async (url, init) => {
    const called = parseCall(init?.body);
    if (called && called.effect !== 'read') {
      await effect(called.name, called.effect === 'once' ? undefined : called.key);
    }
    return world.server.fetch(url, init);
  };

function parseCall(
  body: unknown,
): { readonly name: Name; readonly effect: string; readonly key: string } | undefined {
  if (typeof body !== 'string' || !body.includes('"tools/call"')) return undefined;
  const { params } = JSON.parse(body) as {
    readonly params: { readonly name: Name; readonly _meta: Readonly<Record<string, string>> };
  };
  return { name: params.name, effect: TOOLS[params.name].effect, key: String(params._meta[IDEMPOTENCY_KEY]) };
}
