import { attempt } from '../../tool/async.ts';
import type { AnyTool, Discovery, LoopView } from '../../tool/tool.ts';
import { connect } from '../client/connect.ts';
import type { McpCaller, McpClient } from '../client/mcp-client.ts';
import type { McpConnection } from '../client/mcp-connection.ts';
import { addressOf } from '../client/server-access.ts';
import { canonicalJson, knownListing } from './listing.ts';

/** What one invocation has of one server. */
interface ConnectionSlot {
  /** It is opening or open; one that failed is forgotten. */
  opening: Promise<McpConnection> | undefined;
  /** Absent until it is open. */
  open: McpConnection | undefined;
}

const connections = perInvocation<ConnectionSlot>('mcp connections', () => ({
  opening: undefined,
  open: undefined,
}));

/** Answers the connection of this invocation, when there is one. */
export const currentConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connections(client, view).open;

/**
 * Answers the connection of this invocation; it is opened by the first who asks, with the credentials of whoever's turn
 * it is, and closed with the invocation. `claimed`: the requests that whoever asks has claimed for it, before they are
 * made.
 *
 * @throws McpServerError when the server cannot be reached; then the next who asks tries again.
 */
export async function connectionTo(
  client: McpClient,
  discovery: Discovery,
  claimed: number,
): Promise<McpConnection> {
  const slot = connections(client, discovery.view);
  const connection = await (slot.opening ?? opened(client, discovery, slot));
  connection.credit(claimed);
  return connection;
}

function opened(client: McpClient, discovery: Discovery, slot: ConnectionSlot): Promise<McpConnection> {
  const known = knownListing(client, discovery.view)?.listing.spoken;
  const opening = connect(client, callerOf(discovery), {
    signal: discovery.signal,
    count: (subrequests) => discovery.count(subrequests),
    known,
  });
  slot.opening = opening;
  opening.then(
    (connection) => {
      slot.open = connection;
      discovery.atEnd(() => connection.close());
    },
    () => forget(slot, opening),
  );
  return opening;
}

const callerOf = ({ view: { principal, context }, secrets }: Discovery): McpCaller => ({
  principal,
  context,
  secrets,
});

/** Forgets a connection that broke, so that whoever asks next connects anew. */
export function dropConnection(client: McpClient, view: LoopView, broken: McpConnection): void {
  const slot = connections(client, view);
  if (slot.open === broken) forget(slot, slot.opening);
}

function forget(slot: ConnectionSlot, opening: ConnectionSlot['opening']): void {
  if (slot.opening !== opening) return;
  slot.opening = undefined;
  slot.open = undefined;
}

/**
 * Finds what one invocation keeps of each client, under this name; `make` begins it. What is kept is gone with the
 * invocation, and no other one sees it: the platform cuts an invocation's connections when it ends. Loops of one
 * invocation may have contexts of their own: where a client makes anything of the context, each context and each address
 * has its own.
 */
export function perInvocation<Kept>(
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

/** Tells contexts apart; empty where the client is the same server, spoken to in the same way, whatever the context. */
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
