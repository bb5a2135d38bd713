import type { Discovery } from '../../tools/discovery.ts';
import type { LoopView } from '../../tools/injection.ts';
import { connect } from './connect.ts';
import type { McpCaller, McpClient } from './mcp-client.ts';
import type { McpConnection } from './mcp-connection.ts';
import { ofInvocation } from './of-invocation.ts';

/** What one invocation has of one server. */
interface Kept {
  /** Opening or open; one that failed is not kept (MCP-09). */
  opening: Promise<McpConnection> | undefined;
  /** Once it is open. */
  open: McpConnection | undefined;
}

const connections = ofInvocation<Kept>('mcp connections', () => ({ opening: undefined, open: undefined }));

/** The connection of this invocation, when there is one. */
export const openConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connections(client, view).open;

/**
 * The connection of this invocation; opened by the first who asks, with the credentials of whoever's turn it is (MCP-08),
 * and closed with the invocation.
 *
 * @throws McpServerError when the server cannot be reached; then the next who asks tries again.
 */
export function connectionTo(client: McpClient, discovery: Discovery): Promise<McpConnection> {
  const kept = connections(client, discovery.view);
  if (kept.opening) return kept.opening;
  const opening = connect(client, callerOf(discovery), discovery.signal);
  kept.opening = opening;
  opening.then(
    (connection) => {
      kept.open = connection;
      discovery.atEnd(() => connection.close());
    },
    () => forget(kept, opening),
  );
  return opening;
}

const callerOf = ({ view: { principal, context }, secrets }: Discovery): McpCaller => ({
  principal,
  context,
  secrets,
});

/** Has whoever asks next connect anew: this connection broke. */
export function dropConnection(client: McpClient, view: LoopView, broken: McpConnection): void {
  const kept = connections(client, view);
  if (kept.open === broken) forget(kept, kept.opening);
}

function forget(kept: Kept, opening: Kept['opening']): void {
  if (kept.opening !== opening) return;
  kept.opening = undefined;
  kept.open = undefined;
}
