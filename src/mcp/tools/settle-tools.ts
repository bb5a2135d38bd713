import { findWidening } from '../../modules/json-schema/wider-schema.ts';
import type { Effect } from '../../tool/call.ts';
import { shorten } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { logWarning, type RedactingLog, toOneLine } from '../content/words.ts';
import type { Drift, FirstDefinition, GoneTool, ListedTool, McpListing } from './listing.ts';
import { getEffect } from './mcp-tool.ts';

/** The maximum length of all stored tools as JSON. */
const MAX_STORED_LENGTH = 512 * 1024;
/**
 * The maximum number of names that a session stores for a client that refuses drift: twice the size of a
 * list.
 */
const MAX_REMEMBERED_NAMES = 2_000;

/** A tool that is not offered. `reason` completes "'x' ...". */
export interface OmittedTool {
  readonly name: string;
  readonly reason: string;
}

/** The outcome of a new list of tools, compared with the former one. */
export interface SettledTools {
  readonly tools: readonly ListedTool[];
  readonly gone: readonly GoneTool[];
  readonly drift: Drift | undefined;
  readonly leftOut: readonly OmittedTool[];
  /** The tools refused because this list weakened them. */
  readonly weaker: readonly OmittedTool[];
}

/**
 * Decides which definitions of a server's tools apply. With `drift: 'report'`, these are the current ones.
 * Other clients compare each with the one that the session first saw, for the life of the session. A changed
 * or weakened tool keeps its last accepted definition, and is `refused` until the server improves it. A
 * removed tool is remembered. It is left out if it returns changed or weakened; if there was room only for
 * its fingerprint, any change counts. The number of names is limited. Beyond the limit, new names are left
 * out, so they cannot displace the first ones.
 */
export function settleTools(
  client: McpClient,
  listed: readonly ListedTool[],
  former: McpListing | undefined,
): SettledTools {
  const refuses = client.drift !== 'report';
  const known = indexKnownTools(former, refuses);
  const room = {
    length: MAX_STORED_LENGTH,
    names: refuses ? MAX_REMEMBERED_NAMES - known.size : Infinity,
  };
  const findBefore = (name: string): KnownTool | undefined => (refuses ? known.get(name) : undefined);
  const placed = listed.map((tool) => placeTool(client, tool, { before: findBefore(tool.name), room }));
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
    gone: gone.map((one) => fitGoneTool(client, one, room)),
    drift: former && compareNames(known, used),
    leftOut,
    weaker: placed.flatMap((one) => ('weaker' in one && one.weaker ? [one.weaker] : [])),
  };
}

/** A tool as a session knows it. */
interface KnownTool {
  /** The fingerprint for comparison. */
  readonly fingerprint: string;
  /** The fingerprint of the server's last definition. Absent if it was not listed. */
  readonly last?: string | undefined;
  readonly tool?: ListedTool | undefined;
  /** The definition that the session first saw. Absent if only its fingerprint is stored. */
  readonly first?: FirstDefinition | undefined;
}

function indexKnownTools(former: McpListing | undefined, refuses: boolean): ReadonlyMap<string, KnownTool> {
  const known = new Map<string, KnownTool>();
  for (const { name, fingerprint, latest, first } of refuses ? (former?.gone ?? []) : []) {
    known.set(name, { fingerprint, last: latest, first });
  }
  for (const tool of former?.tools ?? []) {
    const first = tool.first ?? toFirstDefinition(tool);
    known.set(tool.name, {
      fingerprint: first.fingerprint,
      last: tool.latest ?? tool.fingerprint,
      tool,
      first,
    });
  }
  return known;
}

const toFirstDefinition = ({ fingerprint, inputSchema, exact, hints }: ListedTool): FirstDefinition => ({
  fingerprint,
  inputSchema,
  ...(exact !== undefined && { exact }),
  ...(hints && { hints }),
});

interface Room {
  length: number;
  names: number;
}

type PlacedTool =
  | OmittedTool
  | { readonly tool: ListedTool; readonly weaker?: OmittedTool | undefined }
  | { readonly gone: GoneTool; readonly weaker?: OmittedTool | undefined };

interface PlaceContext {
  readonly before: KnownTool | undefined;
  readonly room: Room;
}

function placeTool(client: McpClient, tool: ListedTool, { before, room }: PlaceContext): PlacedTool {
  const { name, fingerprint } = tool;
  if (!before && room.names <= 0)
    return { name, reason: 'is one of too many different tools in this session' };
  const reason = before && findChangeProblem(client, before, tool);
  const isNews = before?.last !== fingerprint && client.drift === 'refuse-weaker';
  const weaker = reason !== undefined && isNews ? { name, reason } : undefined;
  if (before && reason !== undefined && !before.tool) {
    const { first } = before;
    return {
      gone: { name, fingerprint: before.fingerprint, latest: fingerprint, ...(first && { first }) },
      weaker,
    };
  }
  const kept =
    before?.tool && reason !== undefined
      ? toRefusedTool(before.tool, fingerprint)
      : toAcceptedTool(tool, before);
  const { length } = JSON.stringify(kept);
  if (length > room.length)
    return { name, reason: `is beyond the ${MAX_STORED_LENGTH} characters of a list` };
  room.length -= length;
  if (!before) room.names -= 1;
  return { tool: kept, weaker };
}

/** Ranks effects by the care that repeating a call with an unknown outcome requires. */
const CARE_BY_EFFECT: Readonly<Record<Effect, number>> = { read: 0, idempotent: 1, once: 2 };

/** The maximum length of a path in a log line. */
const MAX_PATH = 80;

/**
 * Returns the reason why the client refuses a changed tool, to complete "'x' ...", or `undefined` if it
 * accepts the change.
 */
function findChangeProblem(
  client: McpClient,
  { fingerprint, first }: KnownTool,
  tool: ListedTool,
): string | undefined {
  if (fingerprint === tool.fingerprint) return undefined;
  if (client.drift === 'refuse') return 'has changed';
  if (!first) return 'was removed, came back changed, and cannot be compared';
  const [was, is] = [{ ...first, name: tool.name }, tool].map((one) => getEffect(one, client));
  if (was && is && CARE_BY_EFFECT[is] < CARE_BY_EFFECT[was]) return `was \`${was}\` and is \`${is}\``;
  if (first.exact !== undefined) {
    return first.exact === tool.exact ? undefined : 'has a changed input schema, which cannot be compared';
  }
  const at = findWidening(tool.inputSchema, first.inputSchema);
  const where = at ? `, at \`${shorten(at, MAX_PATH)}\`` : '';
  return at === undefined ? undefined : `takes more input than before${where}`;
}

function toAcceptedTool(tool: ListedTool, before: KnownTool | undefined): ListedTool {
  const first = before?.fingerprint === tool.fingerprint ? undefined : before?.first;
  return first ? { ...tool, first } : tool;
}

const toRefusedTool = (kept: ListedTool, latest: string): ListedTool => ({ ...kept, refused: true, latest });

/** Removes the first definition if the client does not compare definitions, or if there is no room. */
function fitGoneTool(client: McpClient, { first, ...gone }: GoneTool, room: Room): GoneTool {
  if (!first || client.drift !== 'refuse-weaker') return gone;
  const { length } = JSON.stringify(first);
  if (length > room.length) return gone;
  room.length -= length;
  return { ...gone, first };
}

function compareNames(
  known: ReadonlyMap<string, KnownTool>,
  listed: ReadonlyMap<string, string>,
): Drift | undefined {
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

/** The maximum number of names in one log line. */
const MAX_LOGGED = 10;

/** Logs only the names and reasons. The rest of such a definition is untrusted text that helps no reader. */
export function logOmittedTools(server: string, leftOut: readonly OmittedTool[], told: RedactingLog): void {
  if (leftOut.length === 0) return;
  logWarning(
    `MCP server '${server}' has tools that are left out: ${formatTools(leftOut, told.secrets)}.`,
    told,
  );
}

/** Logs each weakened tool once, with a way to accept the change. */
export function logWeakenedTools(server: string, weaker: readonly OmittedTool[], told: RedactingLog): void {
  if (weaker.length === 0) return;
  logWarning(
    `MCP server '${server}' has weakened tools since this session first saw them, so they are refused in it: ` +
      `${formatTools(weaker, told.secrets)}. To accept this, name the effect in \`effects\`, or set ` +
      "`drift: 'report'`: new sessions use the current definitions.",
    told,
  );
}

export function formatTools(tools: readonly OmittedTool[], secrets: Secrets): string {
  return formatFirst(
    tools.map(({ name, reason }) => `${quoteName(secrets.redact(name))} ${secrets.redact(reason)}`),
  );
}

export function formatFirst(named: readonly string[]): string {
  const rest = named.length - MAX_LOGGED;
  return named.slice(0, MAX_LOGGED).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

export const quoteName = (name: string): string => `'${toOneLine(name, 80)}'`;
