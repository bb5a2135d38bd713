import type { McpClient } from '../client/mcp-client.ts';
import type { Drift, GoneTool, ListedTool, McpListing } from './listing.ts';

/** The most characters of JSON of all tools that are kept. */
const MAX_LENGTH = 512 * 1024;
/** Names that a session remembers for a client that refuses drift: twice as many as a list may hold. */
const MAX_REMEMBERED = 2_000;

/** A tool that is not offered; `reason` completes "'x' ...". */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

/** What a list of tools comes to beside the former one. */
export interface Settled {
  readonly tools: readonly ListedTool[];
  readonly gone: readonly GoneTool[];
  readonly drift: Drift | undefined;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Decides which definitions of a server's tools count. A client that reports drift takes what the server says now. One that
 * refuses it takes what the session saw first, for as long as the session lives: a tool that has become another one keeps its
 * first definition and is `refused` until the server says the same again. A tool that was gone is remembered by its
 * fingerprint, and is left out when it comes back as another one. A server that lists ever more names, to have the first
 * ones forgotten, has those left out.
 */
export function settleTools(
  client: McpClient,
  listed: readonly ListedTool[],
  former: McpListing | undefined,
): Settled {
  const refuses = client.drift === 'refuse';
  const known = knownTools(former, refuses);
  const room = {
    length: MAX_LENGTH,
    names: refuses ? MAX_REMEMBERED - known.size : Number.POSITIVE_INFINITY,
  };
  const placed = listed.map((tool) => place(tool, refuses ? known.get(tool.name) : undefined, room));
  const leftOut = placed.flatMap((one) => ('reason' in one ? [one] : []));
  const unused = new Set(leftOut.map(({ name }) => name));
  const used = new Map(
    listed.filter(({ name }) => !unused.has(name)).map(({ name, fingerprint }) => [name, fingerprint]),
  );
  const absent = [...known].filter(([name]) => refuses && !used.has(name));
  return {
    tools: placed.flatMap((one) => ('tool' in one ? [one.tool] : [])),
    gone: [
      ...placed.flatMap((one) => ('gone' in one ? [one.gone] : [])),
      ...absent.map(([name, { first }]) => ({ name, fingerprint: first })),
    ],
    drift: former && driftOf(known, used),
    leftOut,
  };
}

/** A tool as a session knows it. */
interface Known {
  /** The fingerprint by which it is judged. */
  readonly first: string;
  /** The fingerprint of what the server said last; absent when it was not listed. */
  readonly last?: string | undefined;
  readonly tool?: ListedTool | undefined;
}

function knownTools(former: McpListing | undefined, refuses: boolean): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  for (const { name, fingerprint, latest } of refuses ? (former?.gone ?? []) : []) {
    known.set(name, { first: fingerprint, last: latest });
  }
  for (const tool of former?.tools ?? []) {
    known.set(tool.name, { first: tool.fingerprint, last: tool.latest ?? tool.fingerprint, tool });
  }
  return known;
}

/** What is left of the limits. */
interface Room {
  length: number;
  names: number;
}

type Placed = LeftOut | { readonly tool: ListedTool } | { readonly gone: GoneTool };

function place(tool: ListedTool, before: Known | undefined, room: Room): Placed {
  const { name, fingerprint } = tool;
  if (!before && room.names <= 0)
    return { name, reason: 'is one of too many different tools in this session' };
  if (before && before.first !== fingerprint && !before.tool) {
    return { gone: { name, fingerprint: before.first, latest: fingerprint } };
  }
  const kept = before?.tool && before.first !== fingerprint ? refused(before.tool, fingerprint) : tool;
  const { length } = JSON.stringify(kept);
  if (length > room.length) return { name, reason: `is beyond the ${MAX_LENGTH} characters of a list` };
  room.length -= length;
  if (!before) room.names -= 1;
  return { tool: kept };
}

const refused = (first: ListedTool, latest: string): ListedTool => ({ ...first, refused: true, latest });

function driftOf(known: ReadonlyMap<string, Known>, listed: ReadonlyMap<string, string>): Drift | undefined {
  const wasListed = (name: string): boolean => known.get(name)?.last !== undefined;
  const isAnother = (name: string, now: string): boolean => {
    const before = known.get(name);
    return before !== undefined && (before.last ?? before.first) !== now;
  };
  const changed = [...listed].filter(([name, now]) => isAnother(name, now)).map(([name]) => name);
  const added = [...listed.keys()].filter((name) => !wasListed(name) && !changed.includes(name));
  const removed = [...known.keys()].filter((name) => wasListed(name) && !listed.has(name));
  if (changed.length + added.length + removed.length === 0) return undefined;
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() };
}
