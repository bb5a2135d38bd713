import { widerAt } from '../../modules/json-schema/wider-schema.ts';
import type { Effect } from '../../tool/call.ts';
import { shorten } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { oneLine, type Telling, warn } from '../content/words.ts';
import type { Drift, FirstSeen, GoneTool, ListedTool, McpListing } from './listing.ts';
import { effectOf } from './mcp-tool.ts';

/** The most characters of JSON of all tools that are kept. */
const MAX_LENGTH = 512 * 1024;
/** Names that a session remembers for a client that refuses any drift: twice as many as a list may hold. */
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
  /** Those that have just become weaker, and are refused for that. */
  readonly weaker: readonly LeftOut[];
}

/**
 * Decides which definitions of a server's tools count. A client that reports drift takes what the server says now. The others
 * judge it by what the session saw first, for as long as the session lives: a tool that has become another one, or a weaker
 * one, as the client says, keeps the definition that was taken last and is `refused` until the server says something better. A
 * tool that was gone is remembered, and is left out when it comes back as such a one; where there is no room for more than its
 * fingerprint, as any other one. A server that lists ever more names, to have the first ones forgotten, has those left out.
 */
export function settleTools(
  client: McpClient,
  listed: readonly ListedTool[],
  former: McpListing | undefined,
): Settled {
  const refuses = client.drift !== 'report';
  const known = knownTools(former, refuses);
  const room = {
    length: MAX_LENGTH,
    names: refuses ? MAX_REMEMBERED - known.size : Infinity,
  };
  const beforeOf = (name: string): Known | undefined => (refuses ? known.get(name) : undefined);
  const placed = listed.map((tool) => place(client, tool, { before: beforeOf(tool.name), room }));
  const leftOut = placed.flatMap((one) => ('reason' in one ? [one] : []));
  const unused = new Set(leftOut.map(({ name }) => name));
  const used = new Map(
    listed.filter(({ name }) => !unused.has(name)).map(({ name, fingerprint }) => [name, fingerprint]),
  );
  const absent = [...known].filter(([name]) => refuses && !used.has(name));
  const gone = [
    ...placed.flatMap((one) => ('gone' in one ? [one.gone] : [])),
    ...absent.map(([name, { fingerprint, first }]) => ({ name, fingerprint, ...(first && { first }) })),
  ];
  return {
    tools: placed.flatMap((one) => ('tool' in one ? [one.tool] : [])),
    gone: gone.map((one) => asRoomIs(client, one, room)),
    drift: former && driftOf(known, used),
    leftOut,
    weaker: placed.flatMap((one) => ('weaker' in one && one.weaker ? [one.weaker] : [])),
  };
}

/** A tool as a session knows it. */
interface Known {
  /** The fingerprint by which it is judged. */
  readonly fingerprint: string;
  /** The fingerprint of what the server said last; absent when it was not listed. */
  readonly last?: string | undefined;
  readonly tool?: ListedTool | undefined;
  /** What the session first saw; absent when no more than the fingerprint of it was remembered. */
  readonly first?: FirstSeen | undefined;
}

function knownTools(former: McpListing | undefined, refuses: boolean): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>();
  for (const { name, fingerprint, latest, first } of refuses ? (former?.gone ?? []) : []) {
    known.set(name, { fingerprint, last: latest, first });
  }
  for (const tool of former?.tools ?? []) {
    const first = tool.first ?? firstOf(tool);
    known.set(tool.name, {
      fingerprint: first.fingerprint,
      last: tool.latest ?? tool.fingerprint,
      tool,
      first,
    });
  }
  return known;
}

const firstOf = ({ fingerprint, inputSchema, exact, hints }: ListedTool): FirstSeen => ({
  fingerprint,
  inputSchema,
  ...(exact !== undefined && { exact }),
  ...(hints && { hints }),
});

/** What is left of the limits. */
interface Room {
  length: number;
  names: number;
}

type Placed =
  | LeftOut
  | { readonly tool: ListedTool; readonly weaker?: LeftOut | undefined }
  | { readonly gone: GoneTool; readonly weaker?: LeftOut | undefined };

interface Place {
  readonly before: Known | undefined;
  readonly room: Room;
}

function place(client: McpClient, tool: ListedTool, { before, room }: Place): Placed {
  const { name, fingerprint } = tool;
  if (!before && room.names <= 0)
    return { name, reason: 'is one of too many different tools in this session' };
  const reason = before && problemOf(client, before, tool);
  const isNews = before?.last !== fingerprint && client.drift === 'refuse-weaker';
  const weaker = reason !== undefined && isNews ? { name, reason } : undefined;
  if (before && reason !== undefined && !before.tool) {
    const { first } = before;
    return {
      gone: { name, fingerprint: before.fingerprint, latest: fingerprint, ...(first && { first }) },
      weaker,
    };
  }
  const kept = before?.tool && reason !== undefined ? refused(before.tool, fingerprint) : taken(tool, before);
  const { length } = JSON.stringify(kept);
  if (length > room.length) return { name, reason: `is beyond the ${MAX_LENGTH} characters of a list` };
  room.length -= length;
  if (!before) room.names -= 1;
  return { tool: kept, weaker };
}

/** How much care a call needs, of which nobody knows whether it happened. */
const CARE: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, once: 2 };

/** The most characters of a path in a line of the log. */
const MAX_PATH = 80;

/** Says why the client does not take what has become of a tool, to complete "'x' ..."; `undefined` when it does. */
function problemOf(client: McpClient, { fingerprint, first }: Known, tool: ListedTool): string | undefined {
  if (fingerprint === tool.fingerprint) return undefined;
  if (client.drift === 'refuse') return 'has changed';
  if (!first) return 'was gone, came back as another one, and is not remembered well enough to be compared';
  const [was, is] = [{ ...first, name: tool.name }, tool].map((one) => effectOf(one, client));
  if (was && is && CARE[is] < CARE[was]) return `was \`${was}\` and is \`${is}\``;
  if (first.exact !== undefined) {
    return first.exact === tool.exact ? undefined : 'has another input schema, which cannot be compared';
  }
  const at = widerAt(tool.inputSchema, first.inputSchema);
  const where = at ? `, at \`${shorten(at, MAX_PATH)}\`` : '';
  return at === undefined ? undefined : `takes more input than before${where}`;
}

function taken(tool: ListedTool, before: Known | undefined): ListedTool {
  const first = before?.fingerprint === tool.fingerprint ? undefined : before?.first;
  return first ? { ...tool, first } : tool;
}

const refused = (kept: ListedTool, latest: string): ListedTool => ({ ...kept, refused: true, latest });

/** Only who judges by definitions needs them, and no more of them than there is room for. */
function asRoomIs(client: McpClient, { first, ...gone }: GoneTool, room: Room): GoneTool {
  if (!first || client.drift !== 'refuse-weaker') return gone;
  const { length } = JSON.stringify(first);
  if (length > room.length) return gone;
  room.length -= length;
  return { ...gone, first };
}

function driftOf(known: ReadonlyMap<string, Known>, listed: ReadonlyMap<string, string>): Drift | undefined {
  const wasListed = (name: string): boolean => known.get(name)?.last !== undefined;
  const isAnother = (name: string, now: string): boolean => {
    const before = known.get(name);
    return before !== undefined && (before.last ?? before.fingerprint) !== now;
  };
  const changed = [...listed].filter(([name, now]) => isAnother(name, now)).map(([name]) => name);
  const added = [...listed.keys()].filter((name) => !wasListed(name) && !changed.includes(name));
  const removed = [...known.keys()].filter((name) => wasListed(name) && !listed.has(name));
  if (changed.length + added.length + removed.length === 0) return undefined;
  return { added: added.sort(), removed: removed.sort(), changed: changed.sort() };
}

/** The most names in one line of the log. */
const MAX_LOGGED = 10;

/** Logs names only: whatever else a server says of such a tool is of no use, and its own words. */
export function warnOfLeftOut(server: string, leftOut: readonly LeftOut[], told: Telling): void {
  if (leftOut.length === 0) return;
  warn(`MCP server '${server}' has tools that are left out: ${listed(leftOut, told.secrets)}.`, told);
}

/** Tells once of each change, what it is and how it is accepted. */
export function warnOfWeaker(server: string, weaker: readonly LeftOut[], told: Telling): void {
  if (weaker.length === 0) return;
  warn(
    `MCP server '${server}' has made tools weaker than this session first saw them, so they are refused in it: ` +
      `${listed(weaker, told.secrets)}. If that is as it should be, name the effect in \`effects\`, or say ` +
      "`drift: 'report'`: new sessions take what the server says now.",
    told,
  );
}

export function listed(tools: readonly LeftOut[], secrets: Secrets): string {
  return fewOf(tools.map(({ name, reason }) => `${logged(secrets.redact(name))} ${secrets.redact(reason)}`));
}

export function fewOf(named: readonly string[]): string {
  const rest = named.length - MAX_LOGGED;
  return named.slice(0, MAX_LOGGED).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

export const logged = (name: string): string => `'${oneLine(name, 80)}'`;
