import type { JsonObject } from '../../tools/json.ts';

/** One tool as a session remembers it: plain data, made safe. A type alias: it must be JSON. */
export type ListedTool = {
  /** As the server knows it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** The hints of its annotations that are booleans; hints, from whoever runs the server. */
  readonly hints?: ToolHints;
  /** Hex SHA-256 of all that the server said of it. */
  readonly fingerprint: string;
  /** It was another one when the session first saw it, and the client refuses that. */
  readonly refused?: true;
};

/** What a server says a tool does (MCP specification, ToolAnnotations). */
export type ToolHints = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

/** How a listing differs from the one before it: names of tools, as the server knows them. */
export type Drift = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

/** What a server told of its tools, as a fact of a session. */
export type McpListing = {
  /** The client's name. */
  readonly client: string;
  /** When it was told, in ms since the epoch. */
  readonly at: number;
  /** Hex SHA-256 over the tools' fingerprints, whatever their order. */
  readonly fingerprint: string;
  readonly tools: readonly ListedTool[];
  /** Absent in the first listing, and in one that changes nothing. */
  readonly drift?: Drift;
};
