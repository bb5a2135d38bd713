import { attempt } from '../../tool/async.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { addressOf } from '../client/address-of.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { canonicalJson } from './canonical-json.ts';

/**
 * What one invocation keeps of each client, under this name; `make` begins it. It is gone with the invocation, and no other
 * one sees it: the platform cuts an invocation's connections when it ends. Loops of one invocation may have contexts of
 * their own: where a client makes anything of the context, each context and each address has its own.
 */
export function ofInvocation<Kept>(
  name: string,
  make: () => Kept,
): (client: McpClient, view: LoopView) => Kept {
  const invocations = new WeakMap<readonly AnyTool[], Map<McpClient, Map<string, Kept>>>();
  return (client, view) => {
    const ofClients = inside(
      invocations,
      view.made(name, () => []),
      () => new Map(),
    );
    const ofContexts = inside(ofClients, client, () => new Map<string, Kept>());
    return inside(ofContexts, contextOf(client, view), make);
  };
}

/** Empty where the client is the same server, spoken to in the same way, whatever the context. */
function contextOf(client: McpClient, view: LoopView): string {
  const depends = [client.url, client.headers, client.oauth].some((part) => typeof part === 'function');
  if (!depends) return '';
  const address = attempt(() => addressOf(client, view).href);
  return canonicalJson([address.ok ? address.value : null, view.context.toJSON()]);
}

function inside<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
