import type { Fetch, McpCaller, McpClient } from '../mcp-client.ts';
import { McpServerError } from '../mcp-connection.ts';
import { authorizingFetch } from './authorizing-fetch.ts';
import { addressProblem, guardedFetch } from './guarded-fetch.ts';

/** Where and how a server is spoken to. */
export interface ServerAccess {
  readonly url: URL;
  /** The guarded one, which sends the tokens of an OAuth provider. */
  readonly fetch: Fetch;
  /** The caller's, sent with every request to the server; none of them is of the protocol. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that say what a request is: the protocol's, never a client's. */
const OF_THE_PROTOCOL = ['accept', 'content-type', 'last-event-id', 'mcp-protocol-version', 'mcp-session-id'];

/**
 * Where a client's server is, and with which credentials this caller speaks to it. Asks nothing of the server.
 *
 * @throws McpServerError when a secret is missing, the address may not be used, or the client's own code throws; what it
 *   threw is the cause.
 */
export async function accessTo(client: McpClient, caller: McpCaller): Promise<ServerAccess> {
  const url = await addressOf(client, caller);
  const headers = await headersOf(client, caller);
  return { url, headers, fetch: await fetchOf(client, caller, url) };
}

async function addressOf(client: McpClient, caller: McpCaller): Promise<URL> {
  const { url, allowPrivate } = client;
  const given = typeof url === 'string' ? url : await attempt(client, 'address', () => url(caller));
  const address = URL.parse(given);
  if (!address || !/^https?:$/.test(address.protocol))
    throw unreachable(client, 'its address is no http(s) URL');
  // A literal is the developer's own word. What comes from data is anybody's.
  if (typeof url === 'string') return address;
  const problem = addressProblem(address);
  const isMeant = allowPrivate === true && problem !== 'holds credentials';
  if (problem === undefined || isMeant) return address;
  throw unreachable(client, `its address ${problem}`);
}

async function headersOf(client: McpClient, caller: McpCaller): Promise<Readonly<Record<string, string>>> {
  const { headers, bearer } = client;
  const token = bearer === undefined ? undefined : tokenOf(client, caller, bearer);
  const given = await attempt(client, 'headers', () => headers?.(caller));
  try {
    const sent = new Headers(given);
    for (const name of OF_THE_PROTOCOL) sent.delete(name);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    return Object.fromEntries(sent);
  } catch {
    // Without the cause, which may quote the value.
    throw unreachable(client, 'its headers cannot be sent');
  }
}

function tokenOf({ name: server }: McpClient, { secrets }: McpCaller, name: string): string {
  const token = secrets.get(name);
  if (token !== undefined) return token;
  const message = `MCP server '${server}' needs the secret '${name}', which this caller does not have.`;
  throw new McpServerError(server, 'connect', message);
}

async function fetchOf(client: McpClient, caller: McpCaller, server: URL): Promise<Fetch> {
  const { fetch = globalThis.fetch, oauth, allowPrivate = false, url } = client;
  const guarded = guardedFetch({
    // Called without a receiver: that of the platform insists on having none but the global one.
    fetch: (address, init) => fetch(address, init),
    server,
    // A server of the developer's own network may have its authorization server there.
    allowPrivate: allowPrivate || (typeof url === 'string' && addressProblem(server) !== undefined),
    maxResponseBytes: client.maxResponseBytes,
  });
  if (!oauth) return guarded;
  return authorizingFetch(guarded, await attempt(client, 'OAuth provider', () => oauth(caller)), server);
}

/** Runs code of the client, which a model has nothing to do with: it is only told what could not be made. */
async function attempt<T>(client: McpClient, what: string, make: () => T): Promise<Awaited<T>> {
  try {
    return await make();
  } catch (cause) {
    throw unreachable(client, `its ${what} could not be made`, { cause });
  }
}

const unreachable = ({ name }: McpClient, why: string, options?: ErrorOptions): McpServerError =>
  new McpServerError(name, 'connect', `MCP server '${name}' cannot be reached: ${why}.`, options);
