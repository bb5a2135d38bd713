import { type Agent, defineAgent, type ToolSource } from '../../../../src/index.ts';
import { defineMcpClient, type Fetch, type McpClient } from '../../../../src/mcp/tools/entry.ts';
import type { CrashKit } from '../../../../src/testing/crash-matrix/entry.ts';
import { IDEMPOTENCY_KEY } from '../../../doors/mcp.ts';
import {
  type FakeServer,
  type FakeServerOptions,
  type FakeTool,
  fakeServer,
} from '../../../fixtures/mcp/fake-server.ts';

/** A server that outlives every crash, and what it was asked to do. */
export interface Shop {
  readonly server: FakeServer;
  /** Idempotency keys of the calls that it carried out, by the tool's name; one for each time. */
  readonly ran: ReadonlyMap<string, string[]>;
}

/** What its tools say of themselves, and what the loop makes of it. */
const TOOLS = {
  look: { annotations: { readOnlyHint: true }, effect: 'read' },
  put: { annotations: { idempotentHint: true }, effect: 'idempotent' },
  pay: { annotations: {}, effect: 'once' },
} as const;

type Name = keyof typeof TOOLS;

export function makeShop(options: FakeServerOptions = {}): Shop {
  const ran = new Map<string, string[]>();
  const toolOf = (name: Name): FakeTool => ({
    name,
    description: `Does ${name}.`,
    annotations: TOOLS[name].annotations,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
    run(_, { _meta }) {
      ran.set(name, [...(ran.get(name) ?? []), String(_meta?.[IDEMPOTENCY_KEY])]);
      return { content: [{ type: 'text', text: `${name} done` }] };
    },
  });
  return { server: fakeServer({ ...options, tools: [toolOf('look'), toolOf('put'), toolOf('pay')] }), ran };
}

/** An agent with the shop's tools, behind whatever `toolsOf` makes of its client. */
export function clerkOf(kit: CrashKit<Shop>, toolsOf: (client: McpClient) => ToolSource): Agent {
  const client = defineMcpClient({
    name: 'shop',
    url: kit.world.server.url,
    // The clock of a play goes by itself.
    connectTimeout: 900_000,
    timeout: 900_000,
    elicitation: 'refuse',
    fetch: reporting(kit),
  });
  return defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [toolsOf(client)],
  });
}

/** A crash may fall before and after what a call does at the server: so it is reported from the way there. */
const reporting =
  ({ world, effect }: CrashKit<Shop>): Fetch =>
  async (url, init) => {
    const called = callIn(init?.body);
    if (called && called.effect !== 'read') {
      await effect(called.name, called.effect === 'once' ? undefined : called.key);
    }
    return world.server.fetch(url, init);
  };

function callIn(
  body: unknown,
): { readonly name: Name; readonly effect: string; readonly key: string } | undefined {
  if (typeof body !== 'string' || !body.includes('"tools/call"')) return undefined;
  const { params } = JSON.parse(body) as {
    readonly params: { readonly name: Name; readonly _meta: Readonly<Record<string, string>> };
  };
  return { name: params.name, effect: TOOLS[params.name].effect, key: String(params._meta[IDEMPOTENCY_KEY]) };
}
