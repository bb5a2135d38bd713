import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/cfworker';
import type { McpClient } from '../mcp-client.ts';
import { type Reached, serveRequests } from '../serve-requests.ts';
import { OldSse } from './old-sse.ts';
import type { ServerAccess } from './server-access.ts';
import { StreamableHttp } from './streamable-http.ts';
import type { Wire } from './wire.ts';
import { HttpStatusError } from './wire-error.ts';

/** A server that has answered `initialize`. */
export interface OpenWire {
  readonly sdk: Client;
  readonly wire: Wire;
}

/** What a server is told of this side. */
const CLIENT = { name: 'holdfast', version: '0.0.0' };

/** Only so that the SDK has no shorter idea of its own: signals end what takes too long. */
export const MAX_WAIT = 3_600_000;

/** With these, a server that knows only the old transport answers `initialize` (MCP specification, Backwards Compatibility). */
const FROM_OLD_SERVERS: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Opens a session with a server: by streamable HTTP, and when the server seems too old for that, by SSE. That both fail is
 * told as streamable HTTP failed. A caller that gives up aborts the signal, and nothing stays open.
 *
 * @throws WireError, an McpError that the server answered, the signal's reason, and an Error of the SDK when the server
 *   speaks no version of MCP that it knows.
 */
export async function openWire(
  { transport }: McpClient,
  access: ServerAccess,
  opening: { readonly reached: Reached; readonly signal: AbortSignal },
): Promise<OpenWire> {
  const { reached, signal } = opening;
  if (transport === 'sse') return open(new OldSse(access), reached, signal);
  try {
    return await open(new StreamableHttp(access), reached, signal);
  } catch (error) {
    if (transport !== undefined || !isOfOldServer(error)) throw error;
    return await open(new OldSse(access), reached, signal).catch(() => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

const isOfOldServer = (error: unknown): boolean =>
  error instanceof HttpStatusError && FROM_OLD_SERVERS.has(error.status);

async function open(wire: Wire, reached: Reached, signal: AbortSignal): Promise<OpenWire> {
  const sdk = new Client(CLIENT, {
    capabilities: reached.elicits ? { elicitation: { form: {} } } : {},
    jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
  });
  serveRequests(sdk, wire, reached);
  const giveUp = () => void wire.close();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    await sdk.connect(wire, { timeout: MAX_WAIT });
    return { sdk, wire };
  } catch (error) {
    await wire.close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
