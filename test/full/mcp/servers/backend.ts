import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request to a server, read whole. */
export interface Arrived {
  /** Tests that use the same server are kept apart by this word. */
  readonly run: string;
  /** What its URL says behind the run: `/mcp`. */
  readonly path: string;
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

/** One of the real servers, behind a front. */
export interface Backend {
  handle(arrived: Arrived): Promise<void>;
  /** Kills what serves this run only, without a word to whoever waits for it. */
  kill(run: string): void;
  /** The processes that run for it now. */
  pids(): readonly number[];
  stop(): Promise<void>;
}
