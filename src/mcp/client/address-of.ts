import type { McpClient, McpUser } from './mcp-client.ts';
import { McpServerError } from './mcp-connection.ts';
import { addressProblem } from './wire/address-problem.ts';

/**
 * Where a client's server is for this person. Asks nothing of anybody; the same answer for the same person.
 *
 * @throws McpServerError when the address may not be used, or the client's own code throws; what it threw is the cause.
 */
export function addressOf(client: McpClient, { principal, context }: McpUser): URL {
  const { url, allowPrivate } = client;
  const given = typeof url === 'string' ? url : attempt(client, () => url({ principal, context }));
  // Code without types may answer a promise.
  const address = typeof given === 'string' ? URL.parse(given) : null;
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw unreachable(client, 'its address is no http(s) URL');
  }
  // A literal is the developer's own word. What comes from data is anybody's.
  if (typeof url === 'string') return address;
  const problem = addressProblem(address);
  const isMeant = allowPrivate === true && problem !== 'holds credentials';
  if (problem === undefined || isMeant) return address;
  throw unreachable(client, `its address ${problem}`);
}

/** Runs code of the client, which a model has nothing to do with: it is only told what could not be made. */
function attempt(client: McpClient, make: () => string): string {
  try {
    return make();
  } catch (cause) {
    throw unreachable(client, 'its address could not be made', { cause });
  }
}

/** Nothing was asked of the server yet. `why` goes on after "it cannot be reached: ". */
export const unreachable = ({ name }: McpClient, why: string, options?: ErrorOptions): McpServerError =>
  new McpServerError(name, 'connect', `MCP server '${name}' cannot be reached: ${why}.`, options);
