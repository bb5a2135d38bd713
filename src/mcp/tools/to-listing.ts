import type { Tool } from '@modelcontextprotocol/client';
import { memoized, sha256Hex } from '../../tool/async.ts';
import { hash32 } from '../../tool/json.ts';
import type { Secrets } from '../../tool/secrets.ts';
import type { Spoken } from '../client/discover.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { oneLine, type Telling, warn } from '../content/words.ts';
import { canonicalJson, type ListedTool, type McpListing } from './listing.ts';
import { type ListedBy, type ReadTool, readTool } from './read-tool.ts';
import { type LeftOut, type Settled, settleTools } from './settle-tools.ts';

/** The most tools of one list: no provider offers a model more. */
const MAX_TOOLS = 1_000;
/** The most names in one line of the log. */
const MAX_LOGGED = 10;

/** What a session knew when the server was asked. */
interface ListedAbout extends Telling {
  readonly former: McpListing | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the server speaks. */
  readonly spoken?: Spoken | undefined;
  /** Milliseconds for which the server says that the list is current. */
  readonly ttl?: number | undefined;
}

/**
 * Makes of what a server says of its tools what a session can keep: plain data within limits, the first of two with one name, each
 * with a fingerprint of all that was said of it. What cannot be used is left out, and logged by name. What changed since the
 * former listing is in `drift`, and a client that refuses it keeps what the session saw first (see `settleTools`).
 */
export async function toListing(
  client: McpClient,
  tools: readonly Tool[],
  { former, now, spoken, ttl, ...told }: ListedAbout,
): Promise<McpListing> {
  const read = readTools({ server: client.name, hasHeaders: spoken?.era === 'stateless' }, tools);
  const readable = read.filter((one): one is Readable => one.ok);
  const listed = await Promise.all(readable.map(fingerprinted));
  const settled = settleTools(client, listed, former);
  const unreadable = read.flatMap((one) => (one.ok ? [] : [one]));
  warnOfLeftOut(client.name, [...unreadable, ...settled.leftOut], told);
  warnOfUnchecked(client, readable, told);
  warnOfWeaker(client.name, settled.weaker, told);
  return {
    client: client.name,
    at: now,
    fingerprint: await fingerprintOf(settled),
    tools: settled.tools,
    ...(settled.gone.length > 0 && { gone: settled.gone }),
    ...(settled.drift && { drift: settled.drift }),
    ...(spoken && { spoken }),
    ...(ttl !== undefined && { ttl }),
  };
}

function readTools(by: ListedBy, tools: readonly unknown[]): readonly ReadTool[] {
  const names = new Set<string>();
  let usable = 0;
  return tools.map((listed) => {
    const name: unknown =
      typeof listed === 'object' && listed !== null ? Reflect.get(listed, 'name') : undefined;
    if (typeof name !== 'string') return readTool(by, listed);
    if (names.has(name)) return { ok: false, name, reason: 'is there already' };
    names.add(name);
    if (usable >= MAX_TOOLS) return { ok: false, name, reason: `is beyond the ${MAX_TOOLS} tools of a list` };
    const read = readTool(by, listed);
    if (read.ok) usable += 1;
    return read;
  });
}

type Readable = Extract<ReadTool, { ok: true }>;

const fingerprinted = async ({ tool, said, exact }: Readable): Promise<ListedTool> => ({
  ...tool,
  fingerprint: await sha256Hex(said),
  ...(exact !== undefined && { exact: await sha256Hex(exact) }),
});

/** Makes the fingerprint also of what is refused, so that a listing which comes to something else has another one. */
function fingerprintOf({ tools, gone }: Pick<Settled, 'tools' | 'gone'>): Promise<string> {
  const marks = (kind: string, of: Settled['gone']): readonly string[] =>
    of.map(({ name, fingerprint, latest = null, first }) =>
      canonicalJson([kind, name, fingerprint, latest, ...(first ? [first.fingerprint] : [])]),
    );
  return sha256Hex([...marks('tool', tools), ...marks('gone', gone)].sort().join('\n'));
}

/** Logs names only: whatever else a server says of such a tool is of no use, and its own words. */
function warnOfLeftOut(server: string, leftOut: readonly LeftOut[], told: Telling): void {
  if (leftOut.length === 0) return;
  warn(`MCP server '${server}' has tools that are left out: ${listed(leftOut, told.secrets)}.`, told);
}

/** Tells once of each change, what it is and how it is accepted. */
function warnOfWeaker(server: string, weaker: readonly LeftOut[], told: Telling): void {
  if (weaker.length === 0) return;
  warn(
    `MCP server '${server}' has made tools weaker than this session first saw them, so they are refused in it: ` +
      `${listed(weaker, told.secrets)}. If that is as it should be, name the effect in \`effects\`, or say ` +
      "`drift: 'report'`: new sessions take what the server says now.",
    told,
  );
}

function listed(tools: readonly LeftOut[], secrets: Secrets): string {
  return fewOf(tools.map(({ name, reason }) => `${logged(secrets.redact(name))} ${secrets.redact(reason)}`));
}

/** Logs which tools assert of their input what only their server can check, once for what it says of each. */
function warnOfUnchecked(client: McpClient, readable: readonly Readable[], to: Telling): void {
  const told = toldOf(client);
  const news = readable.filter(({ said, unchecked }) => unchecked.length > 0 && !told.has(hash32(said)));
  // A server that says something else each time is not listened to for ever.
  if (news.length === 0 || told.size > MOST_TOLD) return;
  for (const { said } of news) told.add(hash32(said));
  const named = news.map(({ tool, unchecked: [first, ...others] }) => {
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    return `${logged(to.secrets.redact(tool.name))} ${first?.assertion} at ${first?.path}${more}`;
  });
  const what = 'asserts of inputs what is not checked here, but by the server alone';
  warn(`MCP server '${client.name}' ${what}: ${fewOf(named)}.`, to);
}

/** Tools of a client that one isolate logs. */
const MOST_TOLD = 1_000;

/** What this isolate has logged of a client's tools. */
const toldOf = memoized((_: McpClient): Set<number> => new Set());

function fewOf(named: readonly string[]): string {
  const rest = named.length - MAX_LOGGED;
  return named.slice(0, MAX_LOGGED).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

const logged = (name: string): string => `'${oneLine(name, 80)}'`;
