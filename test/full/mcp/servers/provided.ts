/** The real servers that the tests of `test/mcp/real` talk to. */
export type ServerName =
  | 'everything'
  | 'everything-sse'
  | 'everything-stdio'
  | 'filesystem'
  | 'memory'
  | 'sequential-thinking'
  /** Made with the second SDK: it speaks 2026-07-28 only. */
  | 'sdk-2026'
  /** The same, which speaks the revisions before too. */
  | 'sdk-both'
  | 'fastmcp'
  | 'playwright';

/** What the set-up tells the tests. */
export interface RealServers {
  /**
   * Where each server answers: `{url}/{run}/mcp`, for any run, and the one of the old transport `{url}/{run}/sse`. Without a
   * browser there is none for `playwright`.
   */
  readonly urls: Readonly<Partial<Record<ServerName, string>>>;
  /** Where each run has a folder of its own, named for it. */
  readonly folder: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly realServers: RealServers;
  }
}

/** One request as a server got it: all that it says, apart from its HTTP version. */
export interface RecordedRequest {
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as they were sent. */
  readonly headers: readonly string[];
  readonly body: string;
}
