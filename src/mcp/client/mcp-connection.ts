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
import type { Spoken } from './discover.ts';
import type { WireSession } from './wire/wire.ts';

/** The tools of a server. */
export interface ToolList {
  readonly tools: readonly Tool[];
  /** Milliseconds for which they are current, as the server says. */
  readonly ttl?: number | undefined;
}

/** What one call asks of a server. */
export interface RemoteCall {
  /** The tool's name as the server knows it. */
  readonly name: string;
  readonly input: JsonObject;
  /** The schema of its input, which may have parts of it sent as headers too. */
  readonly inputSchema?: JsonObject | undefined;
  /** Holds all that crosses beside the input. */
  readonly meta: JsonObject;
  /** Of a call that the server has put off: it is sent again, and goes on. */
  readonly goesOn?: Continuation | undefined;
}

/** What a request is sent again with that its server has put off (MCP specification 2026-07-28, Multi Round-Trip Requests). */
export interface Continuation {
  /** Answers to what the server wants to know, by the names that it gave to its questions. */
  readonly inputResponses?: Readonly<Record<string, ElicitResult>>;
  /** The server's own, which nobody here reads. */
  readonly requestState?: string;
}

/** What is asked of a server that changes nothing. */
export interface RemoteRequest {
  readonly method:
    | 'resources/list'
    | 'resources/templates/list'
    | 'resources/read'
    | 'prompts/list'
    | 'prompts/get';
  /** What the server must offer for it. */
  readonly offer: 'resources' | 'prompts';
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly goesOn?: Continuation | undefined;
}

/** How one call is made, and whom its server reaches meanwhile. */
export interface RemoteCallOptions {
  /** Aborting it tells the server that the call is cancelled; with a `TimeoutError`, that it timed out. */
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
  /** Servers do not say which call a message is about: every call that runs is told. */
  log(message: LoggingMessageNotification['params']): void;
  /**
   * Rejects with a CallInterrupted when the call is to be left: the request is cancelled, and the call rejects with it. Asked
   * ten times in one call at the most.
   */
  elicit(request: ElicitRequest['params']): Promise<ElicitResult>;
}

/**
 * An open connection to one server, for one invocation and one caller. All that comes out of it, in answers, errors, questions
 * and on the way, is without the caller's secrets and what is sent as credentials.
 */
export interface McpConnection {
  /** Adds the requests that a claim has paid for; those beyond the credit are counted one by one when they are made. */
  credit(subrequests: number): void;
  /** The server has said, or shown, that its tools are others since they were last listed. */
  readonly hasChanged: boolean;
  /** What the server speaks, for whoever connects to it later; `undefined` while that is being found out. */
  readonly spoken: Spoken | undefined;
  /**
   * Lists every tool, of all pages, and leaves out definitions that are not valid.
   *
   * @throws McpServerError.
   */
  listTools(signal: AbortSignal): Promise<ToolList>;
  /**
   * Answers what the server answers, `isError` or not, also that it puts the call off until it knows more.
   *
   * @throws McpServerError when the call certainly did not happen, or the server said it failed; McpLostError when
   *   nobody knows; what `elicit` rejects with.
   */
  callTool(call: RemoteCall, options: RemoteCallOptions): Promise<CallToolResult | InputRequiredResult>;
  /**
   * Answers what the server answers, also that it puts the request off until it knows more.
   *
   * @throws McpServerError.
   */
  request(asked: RemoteRequest, signal: AbortSignal): Promise<Result | InputRequiredResult>;
  /**
   * Answers whether the server has begun a new session in the place of one in which tools were called, and no model was told; the
   * one that reads the next answer is. Of a client that keeps no sessions, nobody is.
   */
  takeLoss(): Promise<boolean>;
  /** Ends the server's session, unless it is kept for the next invocation. Does not throw, and takes a second at the most. */
  close(): Promise<void>;
}

/** What is known of a server's failure. */
interface ServerFailure {
  readonly server: string;
  /** `connect` says that nothing was asked of a tool yet. */
  readonly during: 'connect' | 'list' | 'call' | 'request';
  /** The words are for a model, and hold no secrets. */
  readonly message: string;
  /** By which error of JSON-RPC the server said so; of a request alone. */
  readonly code?: number | undefined;
  /** What code of the client threw, if it was that: its developer reads it, and no model does. */
  readonly cause?: unknown;
}

/** A server could not be reached, refused, or said that something failed. */
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

/** A call was sent, and no answer came: nobody knows whether it happened. */
export class McpLostError extends Error {
  override readonly name = 'McpLostError';
  /** The platform marks its own lost connections so: the loop takes the call for in doubt. */
  readonly retryable = true;
}

/** What a connection may use of the invocation that it is for. */
export interface ForInvocation {
  /** Aborting it gives the connection up. */
  readonly signal: AbortSignal;
  /** Is called for requests that no claim has paid for. */
  count(subrequests: number): void;
  /** Keeps the server's session for the next invocation; unless given, it ends with this one. */
  readonly keeper?: SessionKeeper | undefined;
  /** What the server was found to speak before: it is not asked for that again. */
  readonly known?: Spoken | undefined;
}

/** The most characters of what is kept of a session, of which its id is the least part: the rest is what the server said of itself. */
const MAX_KEPT = 16 * 1024;

/** What is known of the session that an earlier invocation had with a server. */
export interface FormerSession {
  /** To be gone on with, if the server still knows it. */
  readonly session?: WireSession | undefined;
  /** A model has called tools in a session that is gone, and was not told so. */
  readonly isLost: boolean;
}

/** Keeps the session that one caller has with one server, for the next invocation. */
export interface SessionKeeper {
  find(): Promise<FormerSession>;
  /**
   * Keeps a session in place of the former one; without a session, there is none any more. `isLost`: a model is still to be told.
   * Answers whether the next invocation can go on with it.
   */
  keep(session: WireSession | undefined, isLost: boolean): Promise<boolean>;
}

/** Of a session of whichever caller, what the model has to do with: that there was one. */
const SOME = 'some';

/**
 * Keeps a session under what it is bound to: `caller` is a digest of the server, and of all by which it knows who speaks. A model
 * knows of no callers: that a session begins anew for another one is a loss to it too.
 */
export function keptSession(
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
      const former = found.status === 'found' ? readFormer(found.value) : undefined;
      return former ?? { isLost: true };
    },
    async keep(session, isLost) {
      const value = session && JSON.stringify({ ...session, isLost });
      if (value === undefined || value.length > MAX_KEPT) {
        await Promise.all([credentials.keep(key, null), credentials.keep(keyOfAny, null)]);
        return false;
      }
      if (!(await credentials.keep(key, value))) return false;
      if ((await credentials.find(keyOfAny)).status === 'none') await credentials.keep(keyOfAny, SOME);
      return true;
    },
  };
}

/** What was kept may be of another version of this code. */
function readFormer(value: string): FormerSession | undefined {
  const parsed = attempt((): Json => JSON.parse(value));
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { id, begun, isLost } = parsed.value;
  if (typeof id !== 'string' || !isJsonObject(begun)) return undefined;
  return { session: { id, begun }, isLost: isLost === true };
}
