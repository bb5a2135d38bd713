import type { McpCaller, McpClient } from './mcp-client.ts';
import type { McpConnection } from './mcp-connection.ts';
import { OpenConnection } from './open-connection.ts';
import { serverFailure } from './server-failure.ts';

/**
 * Opens a connection to a server for one caller and one invocation, by the transport that the server has. Three requests,
 * one of which stays open; falling back to SSE, four. Aborting the signal gives up.
 *
 * @throws McpServerError.
 */
export async function connect(
  client: McpClient,
  caller: McpCaller,
  signal: AbortSignal,
): Promise<McpConnection> {
  const connection = new OpenConnection(client, caller);
  try {
    await connection.open(signal);
    return connection;
  } catch (error) {
    // Nothing stays open when nobody waits for it any more.
    await connection.close();
    const givenUp = { why: 'cancelled', timeout: client.connectTimeout } as const;
    throw serverFailure(client.name, {
      during: 'connect',
      error,
      givenUp: signal.aborted ? givenUp : undefined,
    });
  }
}
