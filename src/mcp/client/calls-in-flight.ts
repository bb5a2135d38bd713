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

/** What ended a call before there was an answer. */
type CallEnding = 'cancelled' | 'timeout' | CallInterrupted;

/** What the server is told of a call that is cancelled; reasons of ours are none of its business. */
const REASONS = { cancelled: 'The call was cancelled.', timeout: 'The call timed out.' };

/** The most questions of one call: people are not to be worn down. */
export const MAX_QUESTIONS = 10;

/** A call that waits for its answer. */
export interface CallInFlight {
  /** The progress token by which the server, and the wire, name the call. */
  readonly token: number;
  /** The name of the tool. */
  readonly tool: string;
  readonly options: RemoteCallOptions;
  /** Aborts when the call has ended before there was an answer. */
  readonly signal: AbortSignal;
  readonly ending: CallEnding | undefined;
  /** What the server has said of its answer before that is there. */
  readonly streamed: ContentBlock[];
  /** Counts a question to people; false when there have been as many as a call may put. */
  mayAsk(): boolean;
  /** Ends the call; the first ending counts. */
  end(ending: CallEnding): void;
  /** Forgets the call: to be called once it has settled. */
  settle(): void;
}

/** The calls of one connection that wait for their answers. */
export class CallsInFlight {
  readonly #calls = new Map<number, CallInFlight>();
  #last: number;

  /** `from`: its tokens are greater. */
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
      over.abort(why === 'timeout' ? REASONS.timeout : REASONS.cancelled);
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

  /** Answers the call that is in flight when there is only one. */
  get only(): CallInFlight | undefined {
    return this.#calls.size === 1 ? this.#calls.values().next().value : undefined;
  }

  all(): readonly CallInFlight[] {
    return [...this.#calls.values()];
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

/** Tells whether a call was left, to be gone on with later. */
export const isInterrupted = (ending: unknown): ending is CallInterrupted =>
  ending instanceof CallInterrupted;

/** What a server may reach of this side. */
export interface Reached {
  readonly calls: CallsInFlight;
  readonly elicits: boolean;
  listChanged(): void;
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
export function serveRequests(sdk: Client, wire: Wire, { calls, elicits, listChanged }: Reached): void {
  sdk.setNotificationHandler('notifications/tools/list_changed', listChanged);
  sdk.setNotificationHandler('notifications/progress', ({ params: { progressToken, ...progress } }) =>
    calls.get(progressToken)?.options.progress(progress),
  );
  sdk.setNotificationHandler('notifications/message', ({ params }) => {
    for (const { options } of calls.all()) options.log(params);
  });
  sdk.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === STREAMED) takeStreamed(calls, params ?? {});
  };
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

/** By this, servers that are made with fastmcp tell parts of an answer. It is no part of MCP. */
const STREAMED = 'notifications/tool/streamContent';

/** The most parts of one answer that are kept: each is a block of content. */
const MAX_STREAMED = 1_000;

/** Keeps what is streamed for the call that it is of, where that can be told: it names its tool and no call. */
function takeStreamed(calls: CallsInFlight, { toolName, content }: Readonly<Record<string, unknown>>): void {
  const [call, ...others] = calls.all().filter(({ tool }) => tool === toolName);
  if (!call || others.length > 0 || !Array.isArray(content)) return;
  const room = MAX_STREAMED - call.streamed.length;
  call.streamed.push(...content.filter(isSpecType.ContentBlock).slice(0, room));
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
