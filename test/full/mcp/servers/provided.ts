/** The real servers for the tests in `test/full/mcp/real`. */
export type ServerName =
  | 'everything'
  | 'everything-sse'
  | 'everything-stdio'
  | 'filesystem'
  | 'memory'
  | 'sequential-thinking'
  /** Built with the second SDK, for 2026-07-28 only. */
  | 'sdk-2026'
  /** Built with the second SDK, for 2026-07-28 and earlier revisions. */
  | 'sdk-both'
  | 'fastmcp'
  | 'playwright';

/** The values that the setup provides to the tests. */
export interface RealServers {
  /**
   * The URL of each server. A run uses `{url}/{run}/mcp`, or `{url}/{run}/sse` for the old transport.
   * `playwright` is missing if there is no browser.
   */
  readonly urls: Readonly<Partial<Record<ServerName, string>>>;
  /** The path of the folder that contains the runs' folders, which have the names of the runs. */
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly realServers: RealServers;
  }
}

/** A request that a server received, except for its HTTP version. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  /** Alternating names and values, as they were sent. */
  readonly headers: readonly string[];
  readonly body: string;
}
