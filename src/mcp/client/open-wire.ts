import {
  Client,
  type ClientCapabilities,
  type PriorDiscovery,
  ProtocolError,
} from '@modelcontextprotocol/client';
import { type ClientSide, serveRequests } from './calls-in-flight.ts';
import {
  discover,
  type KnownProtocol,
  toDiscoverResult,
  toKnownProtocol,
  toReadableMessage,
} from './discover.ts';
import type { McpClient } from './mcp-client.ts';
import { OldSse } from './wire/old-sse.ts';
import { StreamableHttp } from './wire/streamable-http.ts';
import type { ServerAccess, Wire, WireSession } from './wire/wire.ts';
import { HttpStatusError, NotMcpError } from './wire/wire-error.ts';

/** An open wire to a server that has responded, or that is known to accept any request. */
export interface OpenWire {
  readonly sdk: Client;
  readonly wire: Wire;
  readonly spoken: KnownProtocol;
  /** `true` if its protocol was stored earlier, and is not confirmed yet. */
  readonly isRemembered: boolean;
}

/** This client's introduction to a server. */
const CLIENT_INFO = { name: 'holdfast', version: '0.1.0' };

/**
 * The SDK's time limit for a request in milliseconds. Its default is too short, and signals already end
 * requests that take too long.
 */
export const MAX_WAIT_MS = 3_600_000;

/**
 * The statuses with which a server of the old transport responds to `initialize` (MCP specification,
 * Backwards Compatibility).
 */
const OLD_SERVER_STATUSES: ReadonlySet<number> = new Set([400, 404, 405]);

/** The conditions for opening a wire. */
interface OpenOptions {
  readonly reached: ClientSide;
  readonly signal: AbortSignal;
  readonly known?: KnownProtocol | undefined;
  /** The session to resume, if the server still knows it. */
  readonly former?: WireSession | undefined;
}

/**
 * Discovers a server's protocol and opens a wire. It uses the revision without sessions if `server/discover`
 * returns it. Otherwise it opens a session by streamable HTTP or, for a server that seems too old, by SSE. If
 * all fail, it throws the error of streamable HTTP. It trusts a known protocol first, and discovers it again
 * if it has changed. If the caller aborts the signal, no connection stays open.
 *
 * @throws WireError, or a ProtocolError from the server. Throws the signal's reason if it aborts, and an
 * Error of the SDK if the server speaks no known version of MCP.
 */
export async function openWire(
  { transport }: McpClient,
  access: ServerAccess,
  { known, ...opening }: OpenOptions,
): Promise<OpenWire> {
  if (transport === 'sse') return openWith(new OldSse(access), SSE_PROTOCOL, opening);
  const former = await resumeSession(access, opening);
  if (former) return former;
  const isOfUse = known && !(known.era === 'sse' && transport !== undefined);
  if (!isOfUse) return negotiateWire({ transport }, access, opening);
  try {
    const wire = known.era === 'sse' ? new OldSse(access) : new StreamableHttp(access);
    return { ...(await openWith(wire, known, opening)), isRemembered: true };
  } catch (error) {
    opening.signal.throwIfAborted();
    if (!isOtherProtocolError(error)) throw error;
    return negotiateWire({ transport }, access, opening);
  }
}

const SESSION_PROTOCOL = { era: 'session' } as const satisfies KnownProtocol;
const SSE_PROTOCOL = { era: 'sse' } as const satisfies KnownProtocol;

async function negotiateWire(
  { transport }: Pick<McpClient, 'transport'>,
  access: ServerAccess,
  opening: OpenOptions,
): Promise<OpenWire> {
  const { signal } = opening;
  try {
    return await openWith(new StreamableHttp(access), undefined, opening);
  } catch (error) {
    if (transport !== undefined || !isOldServerError(error)) throw error;
    return await openWith(new OldSse(access), SSE_PROTOCOL, opening).catch(() => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

/**
 * Resumes the former session. Returns `undefined` if there is no such session, or if the server does not
 * resume it.
 */
async function resumeSession(access: ServerAccess, opening: OpenOptions): Promise<OpenWire | undefined> {
  const { former } = opening;
  try {
    // Only revisions with `initialize` have sessions.
    return former && (await openWith(new StreamableHttp(access, former), SESSION_PROTOCOL, opening));
  } catch (error) {
    if (!isUnknownSession(error)) throw error;
    return undefined;
  }
}

/** The statuses that do not show whether a session exists. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 429]);

/**
 * Returns whether an error means that the server does not know a session. The specification requires 404, but
 * servers also use 400 and others.
 */
const isUnknownSession = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status >= 400 && error.status < 500 && !BUSY_STATUSES.has(error.status)
    : error instanceof NotMcpError || error instanceof ProtocolError;

const isOldServerError = (error: unknown): boolean =>
  error instanceof HttpStatusError && OLD_SERVER_STATUSES.has(error.status);

/** Returns whether an error suggests that the server no longer speaks the known protocol. */
const isOtherProtocolError = (error: unknown): boolean =>
  isOldServerError(error) || error instanceof ProtocolError || error instanceof NotMcpError;

/**
 * Keeps the SDK from checking results against a server's schemas. A session checks them against its own
 * stored list.
 */
const NO_VALIDATOR = {
  getValidator(): never {
    throw new Error('The SDK must not receive schemas.');
  },
};

/** Opens a wire with the known or the discovered protocol. */
async function openWith(
  wire: Wire,
  known: KnownProtocol | undefined,
  { reached, signal }: OpenOptions,
): Promise<OpenWire> {
  const closeWire = () => void wire.close();
  signal.addEventListener('abort', closeWire, { once: true });
  try {
    signal.throwIfAborted();
    const capabilities: ClientCapabilities = reached.elicits ? { elicitation: { form: {} } } : {};
    const prior = await toPriorDiscovery(wire, known, capabilities);
    const spoken = prior.kind === 'modern' ? toKnownProtocol(prior.discover) : (known ?? SESSION_PROTOCOL);
    const sdk = new Client(CLIENT_INFO, {
      capabilities,
      jsonSchemaValidator: NO_VALIDATOR,
      // Our own code, not the SDK, determines who answers a server's questions.
      inputRequired: { autoFulfill: false },
    });
    serveRequests(sdk, wire, reached);
    await sdk.connect(wire, { timeout: MAX_WAIT_MS, prior });
    if (spoken.era === 'stateless') readLeniently(wire);
    return { sdk, wire, spoken, isRemembered: false };
  } catch (error) {
    await wire.close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', closeWire);
  }
}

/**
 * Returns the revision for the SDK, which must not detect it by itself, because it treats a lost request as a
 * response.
 */
async function toPriorDiscovery(
  wire: Wire,
  known: KnownProtocol | undefined,
  capabilities: ClientCapabilities,
): Promise<PriorDiscovery> {
  if (known?.era === 'stateless') return { kind: 'modern', discover: toDiscoverResult(known) };
  const found = known ? undefined : await discover(wire, { clientInfo: CLIENT_INFO, capabilities });
  return found ? { kind: 'modern', discover: found } : { kind: 'legacy' };
}

function readLeniently(wire: Wire): void {
  const { onmessage: take } = wire;
  wire.onmessage = (message) => take?.(toReadableMessage(message));
}
