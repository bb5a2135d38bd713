import type { LoopView } from '../../tools/injection.ts';
import type { AnyTool } from '../../tools/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';

/**
 * What one invocation keeps of each client, under this name; `make` begins it. It is gone with the invocation, and no other
 * one sees it: the platform cuts an invocation's connections when it ends.
 */
export function ofInvocation<Kept>(
  name: string,
  make: () => Kept,
): (client: McpClient, view: LoopView) => Kept {
  const invocations = new WeakMap<readonly AnyTool[], Map<McpClient, Kept>>();
  return (client, view) => {
    const invocation = view.made(name, () => []);
    const ofClients = invocations.get(invocation) ?? new Map<McpClient, Kept>();
    invocations.set(invocation, ofClients);
    const kept = ofClients.get(client) ?? make();
    ofClients.set(client, kept);
    return kept;
  };
}
