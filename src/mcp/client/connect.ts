import type { McpCaller, McpClient } from './mcp-client.ts';
import type { McpConnection } from './mcp-connection.ts';
import { OpenConnection } from './open-connection.ts';
import { serverFailure } from './server-failure.ts';

/** What a connection may use of the invocation that it is for. */
interface ForInvocation {
  /** Aborting it gives up. */
  readonly signal: AbortSignal;
  /** Told of requests that no claim has paid for (Discovery.count). */
  count(subrequests: number): void;
}

/**
 * Opens a connection to a server for one caller and one invocation, by the transport that the server has. Three requests,
 * one of which stays open; falling back to SSE, four; OAuth's come on top. The first four are paid for by the first `credit`
 * of the connection: they belong to the claim that opened it.
 *
 * @throws McpServerError.
 */
export async function connect(
  client: McpClient,
  caller: McpCaller,
  invocation: ForInvocation,
): Promise<McpConnection> {
  const { signal } = invocation;
  const count = (subrequests: number): void => invocation.count(subrequests);
  const connection = new OpenConnection(client, caller, count);
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
