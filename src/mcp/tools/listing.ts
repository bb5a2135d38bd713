import * as v from 'valibot';
import { LISTINGS, type Listing } from '../../modules/listings/entry.ts';
import { attempt, memoized } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';
import type { Spoken } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { addressOf } from '../client/server-access.ts';

/** One tool as a session remembers it: plain data, made safe. It is a type alias, since an interface is no JSON. */
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
  /** Hex SHA-256 of what the server's input schema says of values, where `inputSchema` says less. */
  readonly exact?: string;
  /** What the session first saw, where the server has changed it since, and the client has taken the change. */
  readonly first?: FirstSeen;
  /** Set when the server says something else of it than the session first saw, and the client refuses that. */
  readonly refused?: true;
  /** The fingerprint of what the server says of it now; where that is refused. */
  readonly latest?: string;
};

/** What of a definition is needed to judge a later one. */
export type FirstSeen = Pick<ListedTool, 'fingerprint' | 'inputSchema' | 'exact' | 'hints'>;

/** A tool of which the session must not forget how it first saw it, though it offers it no more. */
export type GoneTool = {
  readonly name: string;
  /** The fingerprint of what the session first saw. */
  readonly fingerprint: string;
  /** The fingerprint of what the server says now, when it lists the tool again, as another one. */
  readonly latest?: string;
  /** What the session first saw, for a client that refuses what is weaker, as far as there is room. */
  readonly first?: FirstSeen;
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

/** What a server listed, as a fact of a session. */
export type McpListing = {
  /** The client's name. */
  readonly client: string;
  /** When it was listed, in ms since the epoch. */
  readonly at: number;
  /** Hex SHA-256 over the fingerprints of `tools` and `gone`, and over what is refused; whatever their order. */
  readonly fingerprint: string;
  /** In the server's order. */
  readonly tools: readonly ListedTool[];
  /** Kept by a client that refuses any drift; absent when there are none. */
  readonly gone?: readonly GoneTool[];
  /** Absent in the first listing, and in one that changes nothing. */
  readonly drift?: Drift;
  /** What the server was found to speak; absent in listings of before that was kept. */
  readonly spoken?: Spoken;
  /** Milliseconds for which the server says that it is current. */
  readonly ttl?: number;
};

/**
 * Reads a listing as a session kept it, which another version of this code may have written; `undefined` when it is not one of
 * today's: the server is asked anew then. It answers the same object, so that what is made of it can be
 * remembered by it.
 */
export const parseListing = (kept: Json): McpListing | undefined =>
  isJsonObject(kept) ? parsed(kept).listing : undefined;

/** It is asked for before every model call, of the same object as long as the session knows nothing newer. */
const parsed = memoized((kept: JsonObject): { readonly listing: McpListing | undefined } => ({
  listing: v.is(McpListingSchema, kept) ? (kept as unknown as McpListing) : undefined, // it has just been looked at
}));

/** A list of tools, and whose it is. */
interface KnownListing {
  readonly listing: McpListing;
  /** Where the server was that has them: a call goes there or nowhere. */
  readonly address: string;
}

/** Finds what a session knows of a server's tools, for whoever's turn it is. A server that has no address now has none. */
export function knownListing(client: McpClient, view: LoopView): KnownListing | undefined {
  const address = attempt(() => addressOf(client, view).href);
  if (!address.ok) return undefined;
  const known = knownOf(client, view, address.value);
  const listing = known && parseListing(known.told);
  return listing && { listing, address: address.value };
}

/** Finds the listing as the session keeps it. */
export const knownOf = (client: McpClient, view: LoopView, address: string): Listing | undefined =>
  view.recall(LISTINGS).find(({ key }) => key === listingKey(client, view, address));

/** Names the listing of one server at one address, as one person sees it. */
export const listingKey = (
  { name }: McpClient,
  { principal: { id, tenant } }: LoopView,
  address: string,
): string => JSON.stringify([name, address, tenant ?? null, id]);

/** Writes a value as JSON with the keys of its objects in the order of code units: the same text for the same JSON. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

const Fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
/** It is not `v.record`, which leaves out keys such as `constructor` before it looks. */
const ObjectSchema = v.custom<Json>((value) => isJsonObject(value) && value.type === 'object');
const Names = v.array(v.string());
const Flag = v.optional(v.boolean());
const Hints = v.optional(
  v.object({ readOnlyHint: Flag, destructiveHint: Flag, idempotentHint: Flag, openWorldHint: Flag }),
);
const Judged = {
  fingerprint: Fingerprint,
  inputSchema: ObjectSchema,
  exact: v.optional(Fingerprint),
  hints: Hints,
};
const Kept = {
  name: v.string(),
  fingerprint: Fingerprint,
  latest: v.optional(Fingerprint),
  first: v.optional(v.object(Judged)),
};

const McpListingSchema = v.object({
  client: v.string(),
  at: v.pipe(v.number(), v.finite()),
  fingerprint: Fingerprint,
  tools: v.array(
    v.object({
      ...Kept,
      ...Judged,
      title: v.optional(v.string()),
      description: v.string(),
      outputSchema: v.optional(ObjectSchema),
      refused: v.optional(v.literal(true)),
    }),
  ),
  gone: v.optional(v.array(v.object(Kept))),
  drift: v.optional(v.object({ added: Names, removed: Names, changed: Names })),
  spoken: v.optional(
    v.object({ era: v.picklist(['stateless', 'session', 'sse']), offers: v.optional(v.array(v.string())) }),
  ),
  ttl: v.optional(v.pipe(v.number(), v.finite())),
});
