import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request to a server with its whole body. */
export interface ArrivedRequest {
  /** The name of the run, which isolates tests that use the same server. */
  readonly run: string;
  /** The rest of the URL after the run, such as `/mcp`. */
  readonly path: string;
  readonly request: IncomingMessage;
  readonly body: string;
  readonly response: ServerResponse;
}

/** One of the real servers. Tests reach it through a front. */
export interface Backend {
  handle(arrived: ArrivedRequest): Promise<void>;
  /** Kills the processes of this run without closing its connections. */
  kill(run: string): void;
  /** Returns its running processes. */
  pids(): readonly number[];
  stop(): Promise<void>;
}
