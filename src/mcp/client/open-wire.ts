import { Client, type ElicitResult, ProtocolErrorCode, type RequestId } from '@modelcontextprotocol/client';
import { shorten } from '../../tool/json.ts';
import { RpcError } from '../content/rpc.ts';
import { type CallInFlight, type CallsInFlight, isInterrupted, MAX_QUESTIONS } from './calls-in-flight.ts';
import type { McpClient } from './mcp-client.ts';
import { OldSse } from './wire/old-sse.ts';
import { StreamableHttp } from './wire/streamable-http.ts';
import type { ServerAccess, Wire } from './wire/wire.ts';
import { HttpStatusError } from './wire/wire-error.ts';

/** A server that has answered `initialize`. */
export interface OpenWire {
  readonly sdk: Client;
  readonly wire: Wire;
}

/** What a server may reach of this side. */
interface Reached {
  readonly calls: CallsInFlight;
  readonly elicits: boolean;
  listChanged(): void;
}

/** How this side introduces itself to a server. */
const CLIENT = { name: 'holdfast', version: '0.0.0' };

/** Milliseconds for the SDK, which would have a shorter limit of its own: signals end what takes too long. */
export const MAX_WAIT = 3_600_000;

/**
 * By these statuses, a server that knows only the old transport answers `initialize` (MCP specification, Backwards
 * Compatibility).
 */
const FROM_OLD_SERVERS: ReadonlySet<number> = new Set([400, 404, 405]);

/**
 * Opens a session with a server: by streamable HTTP, and when the server seems too old for that, by SSE. That both fail is
 * told as streamable HTTP failed. A caller that gives up aborts the signal, and nothing stays open.
 *
 * @throws WireError, a ProtocolError that the server answered, the signal's reason, and an Error of the SDK when the server
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

/** The SDK checks nothing by a server's schemas: a session remembers those of its own listing, and checks by them. */
const NO_SCHEMAS = {
  getValidator(): never {
    throw new Error('The SDK is given no schemas.');
  },
};

async function open(wire: Wire, reached: Reached, signal: AbortSignal): Promise<OpenWire> {
  const sdk = new Client(CLIENT, {
    capabilities: reached.elicits ? { elicitation: { form: {} } } : {},
    jsonSchemaValidator: NO_SCHEMAS,
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

/** What a server reads that asks for what this side never does. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  [
    'sampling/createMessage',
    'This client does not sample: its models do not work for servers. Ask for what the tool needs as input.',
  ],
  ['roots/list', 'This client has no roots: it shares no files.'],
  ['elicitation/create', 'This client does not let servers ask people.'],
]);

/**
 * Answers a server's requests, and passes on what it says: progress to the call that it is about, logs to every call that
 * runs, questions to the call on whose stream they come, or to the only one that runs. Everything else is refused.
 */
function serveRequests(sdk: Client, wire: Wire, { calls, elicits, listChanged }: Reached): void {
  sdk.setNotificationHandler('notifications/tools/list_changed', listChanged);
  sdk.setNotificationHandler('notifications/progress', ({ params: { progressToken, ...progress } }) =>
    calls.get(progressToken)?.options.progress(progress),
  );
  sdk.setNotificationHandler('notifications/message', ({ params }) => {
    for (const { options } of calls.all()) options.log(params);
  });
  if (elicits) {
    sdk.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
      const call = askedBy(wire, calls, mcpReq.id);
      return elicit(call, params);
    });
  }
  sdk.fallbackRequestHandler = async ({ method }) => {
    const text = REFUSED.get(method) ?? `This client does not know the method '${shorten(method, 80)}'.`;
    throw new RpcError(ProtocolErrorCode.MethodNotFound, text);
  };
}

function askedBy(wire: Wire, calls: CallsInFlight, id: RequestId): CallInFlight {
  const request = wire.askedDuring(id);
  const call = request ? calls.get(request.params?._meta?.progressToken) : calls.only;
  if (call && !call.mayAsk()) {
    throw new RpcError(
      ProtocolErrorCode.InvalidRequest,
      `Nobody is asked more than ${MAX_QUESTIONS} times in one call.`,
    );
  }
  if (call) return call;
  const why = calls.all().length === 0 ? 'no call is running' : 'it does not show which call asks';
  throw new RpcError(
    ProtocolErrorCode.InvalidRequest,
    `Nobody can be asked: ${why}. Ask on the stream of the call.`,
  );
}

/** What is thrown here is for the server to read, so it says nothing of what happened on this side. */
async function elicit(
  call: CallInFlight,
  params: Parameters<CallInFlight['options']['elicit']>[0],
): Promise<ElicitResult> {
  try {
    return await call.options.elicit(params);
  } catch (error) {
    if (!isInterrupted(error))
      throw new RpcError(ProtocolErrorCode.InternalError, 'The question could not be put.');
    call.end(error);
    // The call is left, and its request cancelled: there is nothing more to answer.
    return new Promise(() => undefined);
  }
}
