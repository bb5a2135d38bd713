import type {
  CallToolResult,
  ElicitRequest,
  ElicitResult,
  LoggingMessageNotification,
  Progress,
  Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject } from '../../tool/json.ts';

/** What one call asks of a server. */
export interface RemoteCall {
  /** The tool's name as the server knows it. */
  readonly name: string;
  readonly input: JsonObject;
  /** All that crosses beside the input. */
  readonly meta: JsonObject;
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
  /** What the next claim has paid for: requests beyond the credit are counted one by one when they are made. */
  credit(subrequests: number): void;
  /** Told that its tools are others since they were last listed. */
  readonly hasChanged: boolean;
  /**
   * Every tool, of all pages; definitions that are none are left out.
   *
   * @throws McpServerError.
   */
  listTools(signal: AbortSignal): Promise<readonly Tool[]>;
  /**
   * The server's answer, `isError` or not.
   *
   * @throws McpServerError when the call certainly did not happen, or the server said it failed; McpLostError when
   *   nobody knows; what `elicit` rejects with.
   */
  callTool(call: RemoteCall, options: RemoteCallOptions): Promise<CallToolResult>;
  /** Ends the server's session. Does not throw, and takes a second at the most. */
  close(): Promise<void>;
}

/** A server could not be reached, refused, or said that something failed. The message is for a model; it holds no secrets. */
export class McpServerError extends Error {
  override readonly name = 'McpServerError';
  readonly server: string;
  /** `connect`: nothing was asked of a tool yet. */
  readonly during: 'connect' | 'list' | 'call';

  /** The cause is what code of the client threw, if it was that: for its developer, not for a model. */
  constructor(server: string, during: McpServerError['during'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.server = server;
    this.during = during;
  }
}

/** A call was sent, and no answer came: nobody knows whether it happened. */
export class McpLostError extends Error {
  override readonly name = 'McpLostError';
  /** As the platform marks its own lost connections: the loop takes the call for in doubt. */
  readonly retryable = true;
}
