import {
  type Client,
  type ContentBlock,
  type ElicitResult,
  isSpecType,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/client';
import { shorten } from '../../tool/json.ts';
import { CallInterrupted } from '../../tool/signals.ts';
import { RpcError } from '../content/rpc.ts';
import type { RemoteCallOptions } from './mcp-connection.ts';
import type { Wire } from './wire/wire.ts';

/** The reason why a call ended without a result. */
type CallEnding = 'cancelled' | 'timeout' | CallInterrupted;

/** The reasons sent to the server for a cancelled call. Our own reasons stay private. */
const CANCEL_REASONS = { cancelled: 'The call was cancelled.', timeout: 'The call timed out.' };

/** The maximum number of questions in one call, so that a server cannot flood users with them. */
export const MAX_QUESTIONS = 10;

/** A call without a result yet. */
export interface CallInFlight {
  /** The progress token, which identifies the call for the server and the wire. */
  readonly token: number;
  readonly tool: string;
  readonly options: RemoteCallOptions;
  /** Aborts if the call ends without a result. */
  readonly signal: AbortSignal;
  readonly ending: CallEnding | undefined;
  /** The content blocks that the server has streamed before the result. */
  readonly streamed: ContentBlock[];
  /** Counts one more question to a person. Returns `false` if the call has reached the maximum. */
  mayAsk(): boolean;
  /** Ends the call. Only the first ending counts. */
  end(ending: CallEnding): void;
  /** Removes the call. Call it when the call has settled. */
  settle(): void;
}

/** The calls of one connection that have no result yet. */
export class CallsInFlight {
  readonly #calls = new Map<number, CallInFlight>();
  #last: number;

  /** Creates an empty set of calls. Their tokens are greater than `from`. */
  constructor(from: number) {
    this.#last = from;
  }

  begin(tool: string, options: RemoteCallOptions): CallInFlight {
    const token = ++this.#last;
    const over = new AbortController();
    let ending: CallEnding | undefined;
    let questions = 0;
    const end = (why: CallEnding) => {
      ending ??= why;
      over.abort(why === 'timeout' ? CANCEL_REASONS.timeout : CANCEL_REASONS.cancelled);
    };
    const onAbort = () => end(isTimeout(options.signal.reason) ? 'timeout' : 'cancelled');
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const call: CallInFlight = {
      token,
      tool,
      options,
      streamed: [],
      signal: over.signal,
      get ending() {
        return ending;
      },
      mayAsk: () => ++questions <= MAX_QUESTIONS,
      end,
      settle: () => {
        options.signal.removeEventListener('abort', onAbort);
        this.#calls.delete(token);
      },
    };
    this.#calls.set(token, call);
    return call;
  }

  get(token: unknown): CallInFlight | undefined {
    return typeof token === 'number' ? this.#calls.get(token) : undefined;
  }

  /** Returns the call in flight, or `undefined` unless there is exactly one. */
  get only(): CallInFlight | undefined {
    return this.#calls.size === 1 ? this.#calls.values().next().value : undefined;
  }

  all(): readonly CallInFlight[] {
    return [...this.#calls.values()];
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

/** Returns whether a call was interrupted, and will resume later. */
export const isInterrupted = (ending: unknown): ending is CallInterrupted =>
  ending instanceof CallInterrupted;

/** The parts of this client that a server can reach. */
export interface ClientSide {
  readonly calls: CallsInFlight;
  readonly elicits: boolean;
  listChanged(): void;
}

/** The error text for each request that this client never serves. */
const REFUSED_METHODS: ReadonlyMap<string, string> = new Map([
  [
    'sampling/createMessage',
    'This client does not support sampling: servers cannot use its models. Declare what the tool needs as its input.',
  ],
  ['roots/list', 'This client has no roots: it shares no files.'],
  ['elicitation/create', 'This client does not let servers ask people.'],
]);

/**
 * Handles requests and notifications from a server. Progress goes to its call, and logs go to every running
 * call. A question goes to the call on whose stream it arrives, or to the only running call. Other requests
 * are refused.
 */
export function serveRequests(sdk: Client, wire: Wire, { calls, elicits, listChanged }: ClientSide): void {
  sdk.setNotificationHandler('notifications/tools/list_changed', listChanged);
  sdk.setNotificationHandler('notifications/progress', ({ params: { progressToken, ...progress } }) =>
    calls.get(progressToken)?.options.progress(progress),
  );
  sdk.setNotificationHandler('notifications/message', ({ params }) => {
    for (const { options } of calls.all()) options.log(params);
  });
  sdk.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === STREAM_METHOD) keepStreamed(calls, params ?? {});
  };
  if (elicits) {
    sdk.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
      const call = findAskingCall(wire, calls, mcpReq.id);
      return elicit(call, params);
    });
  }
  sdk.fallbackRequestHandler = async ({ method }) => {
    const text =
      REFUSED_METHODS.get(method) ?? `This client does not know the method '${shorten(method, 80)}'.`;
    throw new RpcError(ProtocolErrorCode.MethodNotFound, text);
  };
}

/** The notification with which fastmcp servers stream parts of a result. It is not part of MCP. */
const STREAM_METHOD = 'notifications/tool/streamContent';

/** The maximum number of streamed content blocks to keep for one result. */
const MAX_STREAMED_BLOCKS = 1_000;

/**
 * Stores streamed content for its call. The notification contains only the tool's name, so only one call of
 * that tool can be running.
 */
function keepStreamed(calls: CallsInFlight, { toolName, content }: Readonly<Record<string, unknown>>): void {
  const [call, ...others] = calls.all().filter(({ tool }) => tool === toolName);
  if (!call || others.length > 0 || !Array.isArray(content)) return;
  const room = MAX_STREAMED_BLOCKS - call.streamed.length;
  call.streamed.push(...content.filter(isSpecType.ContentBlock).slice(0, room));
}

function findAskingCall(wire: Wire, calls: CallsInFlight, id: RequestId): CallInFlight {
  const request = wire.askedDuring(id);
  const call = request ? calls.get(request.params?._meta?.progressToken) : calls.only;
  if (call && !call.mayAsk()) {
    throw new RpcError(
      ProtocolErrorCode.InvalidRequest,
      `One call can ask people at most ${MAX_QUESTIONS} times.`,
    );
  }
  if (call) return call;
  const why = calls.all().length === 0 ? 'no call is running' : 'it is unknown which call asks';
  throw new RpcError(
    ProtocolErrorCode.InvalidRequest,
    `The question cannot be asked: ${why}. Ask on the stream of the call.`,
  );
}

/**
 * Passes a question to its call. The server receives any error, so an error must not reveal anything about
 * this client.
 */
async function elicit(
  call: CallInFlight,
  params: Parameters<CallInFlight['options']['elicit']>[0],
): Promise<ElicitResult> {
  try {
    return await call.options.elicit(params);
  } catch (error) {
    if (!isInterrupted(error))
      throw new RpcError(ProtocolErrorCode.InternalError, 'The question could not be asked.');
    call.end(error);
    // The call is interrupted and its request is cancelled, so no answer follows.
    return new Promise(() => undefined);
  }
}
