import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as v from 'valibot';
import { memoized, sha256Hex } from '../../tool/async.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { oneLine } from '../content/one-line.ts';
import { canonicalJson } from './canonical-json.ts';
import type { ListedTool, McpListing } from './listing.ts';
import { type ReadTool, readTool } from './read-tool.ts';
import { type LeftOut, type Settled, settleTools } from './settle-tools.ts';
import { warn } from './warn.ts';

/** A model is not offered more by anybody. */
const MAX_TOOLS = 1_000;
/** Names in one line of the log. */
const MAX_LOGGED = 10;

/** What a session knew when the server was asked. */
interface ListedAbout {
  readonly former: McpListing | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the caller, which the log must not show. */
  readonly secrets: Secrets;
}

/**
 * Makes of what a server says of its tools what a session can keep: plain data within limits, the first of two with one name, each
 * with a fingerprint of all that was said of it. What cannot be used is left out, and logged by name. What changed since the
 * former listing is in `drift`, and a client that refuses drift keeps what the session saw first (see `settleTools`).
 */
export async function toListing(
  client: McpClient,
  tools: readonly Tool[],
  { former, now, secrets }: ListedAbout,
): Promise<McpListing> {
  const read = readTools(client.name, tools);
  const listed = await Promise.all(read.flatMap((one) => (one.ok ? [fingerprinted(one)] : [])));
  const settled = settleTools(client, listed, former);
  const unreadable = read.flatMap((one) => (one.ok ? [] : [one]));
  warnOfLeftOut(client.name, [...unreadable, ...settled.leftOut], secrets);
  return {
    client: client.name,
    at: now,
    fingerprint: await fingerprintOf(settled),
    tools: settled.tools,
    ...(settled.gone.length > 0 && { gone: settled.gone }),
    ...(settled.drift && { drift: settled.drift }),
  };
}

function readTools(server: string, tools: readonly unknown[]): readonly ReadTool[] {
  const names = new Set<string>();
  let usable = 0;
  return tools.map((listed) => {
    const name: unknown =
      typeof listed === 'object' && listed !== null ? Reflect.get(listed, 'name') : undefined;
    if (typeof name !== 'string') return readTool(server, listed);
    if (names.has(name)) return { ok: false, name, reason: 'is there already' };
    names.add(name);
    if (usable >= MAX_TOOLS) return { ok: false, name, reason: `is beyond the ${MAX_TOOLS} tools of a list` };
    const read = readTool(server, listed);
    if (read.ok) usable += 1;
    return read;
  });
}

const fingerprinted = async ({ tool, said }: Extract<ReadTool, { ok: true }>): Promise<ListedTool> => ({
  ...tool,
  fingerprint: await sha256Hex(said),
});

/** Also of what is refused, so that a listing which comes to something else has another one. */
function fingerprintOf({ tools, gone }: Pick<Settled, 'tools' | 'gone'>): Promise<string> {
  const marks = (kind: string, of: Settled['gone']): readonly string[] =>
    of.map(({ name, fingerprint, latest = null }) => canonicalJson([kind, name, fingerprint, latest]));
  return sha256Hex([...marks('tool', tools), ...marks('gone', gone)].sort().join('\n'));
}

/** Names only: whatever else a server says of such a tool is of no use, and its own words. */
function warnOfLeftOut(server: string, leftOut: readonly LeftOut[], secrets: Secrets): void {
  if (leftOut.length === 0) return;
  const named = leftOut
    .slice(0, MAX_LOGGED)
    .map(({ name, reason }) => `${logged(secrets.redact(name))} ${reason}`);
  const rest = leftOut.length - named.length;
  const more = rest > 0 ? `; and ${rest} more` : '';
  warn(`MCP server '${server}' has tools that are left out: ${named.join('; ')}${more}.`, secrets);
}

const logged = (name: string): string => `'${oneLine(name, 80)}'`;

const Fingerprint = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
/** Not `v.record`, which leaves out keys such as `constructor` before it looks. */
const ObjectSchema = v.custom<Json>((value) => isJsonObject(value) && value.type === 'object');
const Names = v.array(v.string());
const Flag = v.optional(v.boolean());
const Gone = { name: v.string(), fingerprint: Fingerprint, latest: v.optional(Fingerprint) };

const McpListingSchema = v.object({
  client: v.string(),
  at: v.pipe(v.number(), v.finite()),
  fingerprint: Fingerprint,
  tools: v.array(
    v.object({
      ...Gone,
      title: v.optional(v.string()),
      description: v.string(),
      inputSchema: ObjectSchema,
      outputSchema: v.optional(ObjectSchema),
      hints: v.optional(
        v.object({ readOnlyHint: Flag, destructiveHint: Flag, idempotentHint: Flag, openWorldHint: Flag }),
      ),
      refused: v.optional(v.literal(true)),
    }),
  ),
  gone: v.optional(v.array(v.object(Gone))),
  drift: v.optional(v.object({ added: Names, removed: Names, changed: Names })),
});

/**
 * A listing as a session kept it, which another version of this code may have written; `undefined` when it is not one of
 * today's: the server is asked anew then. The same object, so that what is made of it can be remembered by it.
 */
export const parseListing = (kept: Json): McpListing | undefined =>
  isJsonObject(kept) ? parsed(kept).listing : undefined;

/** Asked for before every model call, of the same object as long as the session knows nothing newer. */
const parsed = memoized((kept: JsonObject): { readonly listing: McpListing | undefined } => ({
  listing: v.is(McpListingSchema, kept) ? (kept as unknown as McpListing) : undefined, // it has just been looked at
}));
