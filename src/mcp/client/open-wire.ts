import {
  Client,
  type ClientCapabilities,
  type PriorDiscovery,
  ProtocolError,
} from '@modelcontextprotocol/client';
import { type Reached, serveRequests } from './calls-in-flight.ts';
import { discover, readable, rememberedOf, type Spoken, spokenBy } from './discover.ts';
import type { McpClient } from './mcp-client.ts';
import { OldSse } from './wire/old-sse.ts';
import { StreamableHttp } from './wire/streamable-http.ts';
import type { ServerAccess, Wire, WireSession } from './wire/wire.ts';
import { HttpStatusError, NotMcpError } from './wire/wire-error.ts';

/** A server that can be asked: it has answered, or is known to take any request. */
export interface OpenWire {
  readonly sdk: Client;
  readonly wire: Wire;
  readonly spoken: Spoken;
  /** True when what it speaks was remembered, and nothing has shown yet that it still does. */
  readonly isRemembered: boolean;
}

/** How this side introduces itself to a server. */
const CLIENT = { name: 'holdfast', version: '0.1.0' };

/** Milliseconds for the SDK, which would have a shorter limit of its own: signals end what takes too long. */
export const MAX_WAIT = 3_600_000;

/**
 * By these statuses, a server that knows only the old transport answers `initialize` (MCP specification, Backwards
 * Compatibility).
 */
const FROM_OLD_SERVERS: ReadonlySet<number> = new Set([400, 404, 405]);

/** What a session is opened for. */
interface Opening {
  readonly reached: Reached;
  readonly signal: AbortSignal;
  /** What the server was found to speak before. */
  readonly known?: Spoken | undefined;
  /** It is gone on with when the server still knows it. */
  readonly former?: WireSession | undefined;
}

/**
 * Finds out what a server speaks, and begins to speak it: the revision without sessions, where `server/discover` says so; else
 * a session by streamable HTTP; and when the server seems too old for that, one by SSE. That all fail is told as streamable HTTP
 * failed. What it was known to speak is taken for granted, and found out anew when it speaks something else by now. A caller
 * that gives up aborts the signal, and nothing stays open.
 *
 * @throws WireError, a ProtocolError that the server answered, the signal's reason, and an Error of the SDK when the server
 *   speaks no version of MCP that it knows.
 */
export async function openWire(
  { transport }: McpClient,
  access: ServerAccess,
  { known, ...opening }: Opening,
): Promise<OpenWire> {
  if (transport === 'sse') return open(new OldSse(access), SSE, opening);
  const former = await goneOn(access, opening);
  if (former) return former;
  const isOfUse = known && !(known.era === 'sse' && transport !== undefined);
  if (!isOfUse) return negotiated({ transport }, access, opening);
  try {
    const wire = known.era === 'sse' ? new OldSse(access) : new StreamableHttp(access);
    return { ...(await open(wire, known, opening)), isRemembered: true };
  } catch (error) {
    opening.signal.throwIfAborted();
    if (!isOfAnother(error)) throw error;
    return negotiated({ transport }, access, opening);
  }
}

const SESSION = { era: 'session' } as const satisfies Spoken;
const SSE = { era: 'sse' } as const satisfies Spoken;

async function negotiated(
  { transport }: Pick<McpClient, 'transport'>,
  access: ServerAccess,
  opening: Opening,
): Promise<OpenWire> {
  const { signal } = opening;
  try {
    return await open(new StreamableHttp(access), undefined, opening);
  } catch (error) {
    if (transport !== undefined || !isOfOldServer(error)) throw error;
    return await open(new OldSse(access), SSE, opening).catch(() => {
      signal.throwIfAborted();
      throw error;
    });
  }
}

/** Goes on with the former session; `undefined` when there is none, or the server answers, and does not go on with it. */
async function goneOn(access: ServerAccess, opening: Opening): Promise<OpenWire | undefined> {
  const { former } = opening;
  try {
    // Only revisions with `initialize` have sessions.
    return former && (await open(new StreamableHttp(access, former), SESSION, opening));
  } catch (error) {
    if (!isNotKnown(error)) throw error;
    return undefined;
  }
}

/** By these statuses a server does not say anything of a session. */
const BUSY: ReadonlySet<number> = new Set([408, 429]);

/** Servers do not agree on how to say that they do not know a session: 404 in the specification, and 400 and others in use. */
const isNotKnown = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status >= 400 && error.status < 500 && !BUSY.has(error.status)
    : error instanceof NotMcpError || error instanceof ProtocolError;

const isOfOldServer = (error: unknown): boolean =>
  error instanceof HttpStatusError && FROM_OLD_SERVERS.has(error.status);

/** A server that does not begin the session which it was known to begin may be another one by now. */
const isOfAnother = (error: unknown): boolean =>
  isOfOldServer(error) || error instanceof ProtocolError || error instanceof NotMcpError;

/** The SDK checks nothing by a server's schemas: a session remembers those of its own listing, and checks by them. */
const NO_SCHEMAS = {
  getValidator(): never {
    throw new Error('The SDK is given no schemas.');
  },
};

/** Begins to speak with a server, as it is known to want it, or as it says. */
async function open(wire: Wire, known: Spoken | undefined, { reached, signal }: Opening): Promise<OpenWire> {
  const giveUp = () => void wire.close();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    signal.throwIfAborted();
    const capabilities: ClientCapabilities = reached.elicits ? { elicitation: { form: {} } } : {};
    const prior = await priorOf(wire, known, capabilities);
    const spoken = prior.kind === 'modern' ? spokenBy(prior.discover) : (known ?? SESSION);
    const sdk = new Client(CLIENT, {
      capabilities,
      jsonSchemaValidator: NO_SCHEMAS,
      // Who is asked for what a server wants is not for the SDK to say.
      inputRequired: { autoFulfill: false },
    });
    serveRequests(sdk, wire, reached);
    await sdk.connect(wire, { timeout: MAX_WAIT, prior });
    if (spoken.era === 'stateless') readLeniently(wire);
    return { sdk, wire, spoken, isRemembered: false };
  } catch (error) {
    await wire.close();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Says to the SDK which revision it is to speak: it is not let find out by itself, since it takes each lost request for an answer. */
async function priorOf(
  wire: Wire,
  known: Spoken | undefined,
  capabilities: ClientCapabilities,
): Promise<PriorDiscovery> {
  if (known?.era === 'stateless') return { kind: 'modern', discover: rememberedOf(known) };
  const found = known ? undefined : await discover(wire, { clientInfo: CLIENT, capabilities });
  return found ? { kind: 'modern', discover: found } : { kind: 'legacy' };
}

function readLeniently(wire: Wire): void {
  const { onmessage: take } = wire;
  wire.onmessage = (message) => take?.(readable(message));
}
