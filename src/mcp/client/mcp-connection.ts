import type {
  CallToolResult,
  ElicitRequest,
  ElicitResult,
  InputRequiredResult,
  LoggingMessageNotification,
  Progress,
  Result,
  Tool,
} from '@modelcontextprotocol/client';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { SessionCredentials } from '../../tool/tool.ts';
import type { KnownProtocol } from './discover.ts';
import type { WireSession } from './wire/wire.ts';

export interface ToolList {
  readonly tools: readonly Tool[];
  /** Milliseconds for which they are current, according to the server. */
  readonly ttl?: number | undefined;
}

/** One call to a server. */
export interface RemoteCall {
  /** The tool's name on the server. */
  readonly name: string;
  readonly input: JsonObject;
  /** The schema of its input. It can require parts of the input as headers. */
  readonly inputSchema?: JsonObject | undefined;
  /** All data that is sent in addition to the input. */
  readonly meta: JsonObject;
  /** The continuation of a call that the server has deferred. */
  readonly continuation?: Continuation | undefined;
}

/** The data for repeating a deferred request (MCP specification 2026-07-28, Multi Round-Trip Requests). */
export interface Continuation {
  /** The answers to the server's questions, by the names of the questions. */
  readonly inputResponses?: Readonly<Record<string, ElicitResult>>;
  /** Opaque data of the server. */
  readonly requestState?: string;
}

/** A request without an effect on the server. */
export interface RemoteRequest {
  readonly method:
    | 'resources/list'
    | 'resources/templates/list'
    | 'resources/read'
    | 'prompts/list'
    | 'prompts/get';
  /** The capability that the server must have. */
  readonly offer: 'resources' | 'prompts';
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly continuation?: Continuation | undefined;
}

/** The options of one call, with the receivers of the server's messages. */
export interface RemoteCallOptions {
  /**
   * Aborts to cancel the call. The server is notified of a cancellation or, for a `TimeoutError`, of a
   * timeout.
   */
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  /** Receives a log message. A server does not name the call, so every running call receives it. */
  log(message: LoggingMessageNotification['params']): void;
  /**
   * Asks a user, at most ten times in one call. If it rejects with a CallInterrupted, the request is
   * cancelled, and the call rejects with the same error.
   */
  elicit(request: ElicitRequest['params']): Promise<ElicitResult>;
}

/**
 * An open connection to one server, for one invocation and one caller. Its results, errors, questions and
 * other messages never contain the caller's secrets or the credentials that it sends.
 */
export interface McpConnection {
  /** Adds the requests that a claim covers. Further requests are counted one by one. */
  credit(subrequests: number): void;
  /** `true` if the server has reported or shown that its tools changed since the last list. */
  readonly hasChanged: boolean;
  /** The server's protocol, for later connections. `undefined` until it is known. */
  readonly spoken: KnownProtocol | undefined;
  /**
   * Lists every tool, from all pages, without invalid definitions.
   *
   * @throws McpServerError if the list cannot be read.
   */
  listTools(signal: AbortSignal): Promise<ToolList>;
  /**
   * Returns the server's result, even with `isError`, or its request for more input.
   *
   * @throws McpServerError if the call certainly did not run, or the server reported its failure. Throws
   * McpLostError if the outcome is unknown. Errors from `elicit` pass through.
   */
  callTool(call: RemoteCall, options: RemoteCallOptions): Promise<CallToolResult | InputRequiredResult>;
  /**
   * Returns the server's response, or its request for more input.
   *
   * @throws McpServerError if the request fails.
   */
  request(asked: RemoteRequest, signal: AbortSignal): Promise<Result | InputRequiredResult>;
  /**
   * Returns whether a session in which tools were called was replaced without a notice to the model. The
   * caller must then inform the model. Always `false` for a client without `keepSession`.
   */
  consumeSessionLoss(): Promise<boolean>;
  /**
   * Ends the server's session, unless it is kept for the next invocation. Never throws, and takes at most a
   * second.
   */
  close(): Promise<void>;
}

interface ServerFailure {
  readonly server: string;
  /** The stage of the failure. `connect` means that no tool was called yet. */
  readonly during: 'connect' | 'list' | 'call' | 'request';
  /** The text for a model, without secrets. */
  readonly message: string;
  /** The JSON-RPC error code, only for a failed request. */
  readonly code?: number | undefined;
  /** The error that the client's own code threw. It is for the developer, and never shown to a model. */
  readonly cause?: unknown;
}

/** Thrown if a server could not be reached, refused a request, or reported a failure. */
export class McpServerError extends Error {
  override readonly name = 'McpServerError';
  readonly server: string;
  readonly during: ServerFailure['during'];
  readonly code: number | undefined;

  constructor({ message, server, during, code, ...options }: ServerFailure) {
    super(message, options);
    this.server = server;
    this.during = during;
    this.code = code;
  }
}

/** Thrown if a call was sent, but no result arrived. The outcome is unknown. */
export class McpLostError extends Error {
  override readonly name = 'McpLostError';
  /** The platform sets this on its own lost connections. The loop then treats the call as in doubt. */
  readonly retryable = true;
}

/** The resources of an invocation that a connection uses. */
export interface InvocationScope {
  /** Aborts to abandon the connection. */
  readonly signal: AbortSignal;
  /** Called for requests that no claim covers. */
  count(subrequests: number): void;
  /** Stores the server's session for the next invocation. If absent, the session ends with this one. */
  readonly keeper?: SessionKeeper | undefined;
  /** The server's known protocol, which then need not be discovered. */
  readonly known?: KnownProtocol | undefined;
}

/**
 * The maximum length of a stored session. Its id is the smallest part; the rest is the server's description
 * of itself.
 */
const MAX_SESSION_LENGTH = 16 * 1024;

/** The session of an earlier invocation with a server. */
export interface FormerSession {
  /** The session to resume, if the server still knows it. */
  readonly session?: WireSession | undefined;
  /** `true` if a model has called tools in a lost session and was not informed of the loss. */
  readonly isLost: boolean;
}

/** Keeps the session of one caller with one server for the next invocation. */
export interface SessionKeeper {
  find(): Promise<FormerSession>;
  /**
   * Stores a session in place of the former one, or removes it. `isLost` is `true` if a model must still be
   * informed of a loss. Returns whether the next invocation can resume the session.
   */
  keep(session: WireSession | undefined, isLost: boolean): Promise<boolean>;
}

/** Marks that a session existed for some caller. A model needs no further details. */
const KNOWN_SESSION_MARK = 'some';

/**
 * Stores a session with the data that it is bound to. `caller` is a digest of the server and of all data that
 * identifies the caller. A model does not distinguish callers, so a new session for another caller is also a
 * loss to the model.
 */
export function createSessionKeeper(
  credentials: SessionCredentials,
  { server, caller }: { readonly server: string; readonly caller: string },
): SessionKeeper {
  const key = `mcp ${server} ${caller}`;
  const keyOfAny = `mcp ${server}`;
  return {
    async find() {
      const found = await credentials.find(key);
      if (found.status === 'none') {
        return { isLost: (await credentials.find(keyOfAny)).status !== 'none' };
      }
      const former = found.status === 'found' ? parseFormerSession(found.value) : undefined;
      return former ?? { isLost: true };
    },
    async keep(session, isLost) {
      const value = session && JSON.stringify({ ...session, isLost });
      if (value === undefined || value.length > MAX_SESSION_LENGTH) {
        await Promise.all([credentials.keep(key, null), credentials.keep(keyOfAny, null)]);
        return false;
      }
      if (!(await credentials.keep(key, value))) return false;
      if ((await credentials.find(keyOfAny)).status === 'none')
        await credentials.keep(keyOfAny, KNOWN_SESSION_MARK);
      return true;
    },
  };
}

/** Parses a stored session, which another version of this code may have written. */
function parseFormerSession(value: string): FormerSession | undefined {
  const parsed = attempt((): Json => JSON.parse(value));
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { id, begun, isLost } = parsed.value;
  if (typeof id !== 'string' || !isJsonObject(begun)) return undefined;
  return { session: { id, begun }, isLost: isLost === true };
}
