import * as v from 'valibot';
import { LISTINGS, type Listing } from '../../modules/listings/entry.ts';
import { attempt, memoize } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';
import type { KnownProtocol } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { resolveServerUrl } from '../client/server-access.ts';

/**
 * A tool as a session stores it: plain data, sanitized. A type alias, because an interface does not count as
 * JSON.
 */
export type ListedTool = {
  /** The tool's name on the server. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** The boolean hints of its annotations. They come from the operator of the server, and are not trusted. */
  readonly hints?: ToolHints;
  /** SHA-256 in hex of the server's whole definition. */
  readonly fingerprint: string;
  /** SHA-256 in hex of the server's original input schema, if `inputSchema` is less strict. */
  readonly exact?: string;
  /**
   * The definition that the session first saw, if the server has changed it and the client has accepted the
   * change.
   */
  readonly first?: FirstDefinition;
  /** `true` if the client refuses the server's current definition, because it differs from the first one. */
  readonly refused?: true;
  /** The fingerprint of the server's current definition, if it is refused. */
  readonly latest?: string;
};

/** The parts of a definition for comparing a later one. */
export type FirstDefinition = Pick<ListedTool, 'fingerprint' | 'inputSchema' | 'exact' | 'hints'>;

/** A tool that is no longer offered. The session keeps how it first saw the tool. */
export type GoneTool = {
  readonly name: string;
  /** The fingerprint of the definition that the session first saw. */
  readonly fingerprint: string;
  /** The fingerprint of the server's current definition, if it lists a different tool of this name. */
  readonly latest?: string;
  /** The definition that the session first saw, for `refuse-weaker`, if there is room for it. */
  readonly first?: FirstDefinition;
};

/** A server's hints about a tool's behavior (MCP specification, ToolAnnotations). */
export type ToolHints = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

/** The differences from the previous listing, by the server's tool names. */
export type Drift = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
};

/** A server's list of tools, as a fact of a session. */
export type McpListing = {
  /** The client's name. */
  readonly client: string;
  /** The time of the listing, in ms since the epoch. */
  readonly at: number;
  /**
   * SHA-256 in hex over the fingerprints of `tools` and `gone`, and over the refusals, independent of their
   * order.
   */
  readonly fingerprint: string;
  /** The tools in the server's order. */
  readonly tools: readonly ListedTool[];
  /** The removed tools, for a client that refuses drift. Absent if there are none. */
  readonly gone?: readonly GoneTool[];
  /** Absent in the first listing, and in one without changes. */
  readonly drift?: Drift;
  /** The server's protocol. Absent in listings of older versions. */
  readonly spoken?: KnownProtocol;
  /** Milliseconds for which the list is current, according to the server. */
  readonly ttl?: number;
};

/**
 * Validates a stored listing, which can come from another version of this code. Returns `undefined` if it is
 * invalid; the server is then asked again. Returns the same object, so that data derived from it can be
 * cached by its identity.
 */
export const parseListing = (kept: Json): McpListing | undefined =>
  isJsonObject(kept) ? validateListing(kept).listing : undefined;

/** Every model call reads the listing, and gets the same object until the session has a newer one. */
const validateListing = memoize((kept: JsonObject): { readonly listing: McpListing | undefined } => ({
  listing: v.is(McpListingSchema, kept) ? (kept as unknown as McpListing) : undefined, // it was just validated
}));

/** A list of tools with its server's URL. */
interface KnownListing {
  readonly listing: McpListing;
  /** The server's URL when it listed the tools. Calls are sent only to this URL. */
  readonly address: string;
}

/**
 * Returns the list that a session has of a server's tools, for the caller of the turn. Returns `undefined` if
 * the server has no URL now.
 */
export function findKnownListing(client: McpClient, view: LoopView): KnownListing | undefined {
  const address = attempt(() => resolveServerUrl(client, view).href);
  if (!address.ok) return undefined;
  const known = findStoredListing(client, view, address.value);
  const listing = known && parseListing(known.told);
  return listing && { listing, address: address.value };
}

/** Returns the listing as stored in the session. */
export const findStoredListing = (client: McpClient, view: LoopView, address: string): Listing | undefined =>
  view.recall(LISTINGS).find(({ key }) => key === getListingKey(client, view, address));

/** Returns the key of the listing of one server at one URL for one person. */
export const getListingKey = (
  { name }: McpClient,
  { principal: { id, tenant } }: LoopView,
  address: string,
): string => JSON.stringify([name, address, tenant ?? null, id]);

/** Returns canonical JSON: object keys are sorted, so equal values yield equal text. */
export function toCanonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${toCanonicalJson(inner)}`).join(',')}}`;
}

const Fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
/** A custom schema, because `v.record` drops keys such as `constructor` before it validates. */
const ObjectSchema = v.custom<Json>((value) => isJsonObject(value) && value.type === 'object');
const Names = v.array(v.string());
const Flag = v.optional(v.boolean());
const Hints = v.optional(
  v.object({ readOnlyHint: Flag, destructiveHint: Flag, idempotentHint: Flag, openWorldHint: Flag }),
);
const ComparedEntries = {
  fingerprint: Fingerprint,
  inputSchema: ObjectSchema,
  exact: v.optional(Fingerprint),
  hints: Hints,
};
const ToolEntries = {
  name: v.string(),
  fingerprint: Fingerprint,
  latest: v.optional(Fingerprint),
  first: v.optional(v.object(ComparedEntries)),
};

const McpListingSchema = v.object({
  client: v.string(),
  at: v.pipe(v.number(), v.finite()),
  fingerprint: Fingerprint,
  tools: v.array(
    v.object({
      ...ToolEntries,
      ...ComparedEntries,
      title: v.optional(v.string()),
      description: v.string(),
      outputSchema: v.optional(ObjectSchema),
      refused: v.optional(v.literal(true)),
    }),
  ),
  gone: v.optional(v.array(v.object(ToolEntries))),
  drift: v.optional(v.object({ added: Names, removed: Names, changed: Names })),
  spoken: v.optional(
    v.object({ era: v.picklist(['stateless', 'session', 'sse']), offers: v.optional(v.array(v.string())) }),
  ),
  ttl: v.optional(v.pipe(v.number(), v.finite())),
});
