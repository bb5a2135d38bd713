import type { Discovery, LoopView } from '../../tool/tool.ts';
import { connect } from '../client/connect.ts';
import type { McpCaller, McpClient } from '../client/mcp-client.ts';
import type { McpConnection } from '../client/mcp-connection.ts';
import { ofInvocation } from './of-invocation.ts';

/** What one invocation has of one server. */
interface Held {
  /** Opening or open; one that failed is not held (MCP-09). */
  opening: Promise<McpConnection> | undefined;
  /** Once it is open. */
  open: McpConnection | undefined;
}

const connections = ofInvocation<Held>('mcp connections', () => ({ opening: undefined, open: undefined }));

/** The connection of this invocation, when there is one. */
export const currentConnection = (client: McpClient, view: LoopView): McpConnection | undefined =>
  connections(client, view).open;

/**
 * The connection of this invocation; opened by the first who asks, with the credentials of whoever's turn it is (MCP-08),
 * and closed with the invocation. `claimed`: the requests that whoever asks has claimed for it, before they are made.
 *
 * @throws McpServerError when the server cannot be reached; then the next who asks tries again.
 */
export async function connectionTo(
  client: McpClient,
  discovery: Discovery,
  claimed: number,
): Promise<McpConnection> {
  const held = connections(client, discovery.view);
  const connection = await (held.opening ?? opened(client, discovery, held));
  connection.credit(claimed);
  return connection;
}

function opened(client: McpClient, discovery: Discovery, held: Held): Promise<McpConnection> {
  const opening = connect(client, callerOf(discovery), discovery);
  held.opening = opening;
  opening.then(
    (connection) => {
      held.open = connection;
      discovery.atEnd(() => connection.close());
    },
    () => forget(held, opening),
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
  const held = connections(client, view);
  if (held.open === broken) forget(held, held.opening);
}

function forget(held: Held, opening: Held['opening']): void {
  if (held.opening !== opening) return;
  held.opening = undefined;
  held.open = undefined;
}
