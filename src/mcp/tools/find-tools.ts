import type { ListingFact } from '../../modules/listings/entry.ts';
import { sameJson, shorten } from '../../tool/json.ts';
import { CallInterrupted } from '../../tool/signals.ts';
import type { Discovery, LoopView } from '../../tool/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { McpServerError } from '../client/mcp-connection.ts';
import { addressOf, connectingSubrequests } from '../client/server-access.ts';
import { warn } from '../content/words.ts';
import { connectionTo, currentConnection, forLog, perInvocation } from './connections.ts';
import { type Drift, knownListing, knownOf, listingKey, type McpListing } from './listing.ts';
import { toListing } from './to-listing.ts';

/** What came of asking a server for its tools. */
export interface FoundTools {
  /** What the session is to remember; nothing when it knows already. */
  readonly facts: readonly ListingFact[];
  /** Why there is no newer list, in words for a model; absent when what is known is current. */
  readonly problem?: string | undefined;
}

/** Why this invocation has found no list of a server's tools, in words for a model; `undefined` while nothing went wrong. */
export const problemNow = (client: McpClient, view: LoopView): string | undefined =>
  askings(client, view).problem;

/** Requests of listing, at the least; each beyond them is counted when it is made. */
const LISTING_SUBREQUESTS = 1;

/** A server that failed slowly is left alone for as many times as long as it took. */
const BACKOFF = 10;

/** The most loops that are given what another one has found, before the session knows it: a list may be long. */
const MAX_TOLD = 10;

const CURRENT: FoundTools = { facts: [] };

/**
 * Asks a server which tools it has, unless the session knows from less than `refreshAfter` ms ago. It is asked once in an
 * invocation, and once more when it says that they are others. Success is remembered in the session, and failure never: the
 * next model call asks the server again, and what is known stays in use.
 *
 * @throws CallInterrupted when too little is left of the invocation.
 */
export async function findTools(client: McpClient, discovery: Discovery): Promise<FoundTools> {
  const kept = askings(client, discovery.view);
  // Several lists of tools may be made of one server, by loops that do not wait for each other: each is told.
  if (kept.asking) return kept.asking;
  const address = resolved(client, discovery, kept);
  if (address.problem !== undefined) return { facts: [], problem: address.problem };
  const asking: Asking = { client, discovery, kept, address: address.href };
  const hasChanged = currentConnection(client, discovery.view)?.hasChanged === true && !kept.isRelisted;
  if (!hasChanged && kept.found) return foundBefore(asking, kept.found);
  if (!hasChanged && isFresh(client, discovery.view, discovery.now())) return CURRENT;
  if (kept.backoff && discovery.now() < kept.backoff.until)
    return { facts: [], problem: kept.backoff.problem };
  kept.asking = ask(asking, hasChanged).finally(() => {
    kept.asking = undefined;
  });
  return kept.asking;
}

interface Asking {
  readonly client: McpClient;
  readonly discovery: Discovery;
  readonly kept: AskedOfServer;
  readonly address: string;
}

type Resolved = { readonly href: string; readonly problem?: undefined } | { readonly problem: string };

function resolved(client: McpClient, { view, secrets }: Discovery, kept: AskedOfServer): Resolved {
  try {
    return { href: addressOf(client, view).href };
  } catch (thrown) {
    const problem = problemOf(client, thrown);
    const { cause } = Object(thrown);
    if (!kept.isWarned) warn(forLog({ message: problem, cause }, client, view), { secrets, log: view.log });
    kept.isWarned = true;
    kept.problem = problem;
    return { problem };
  }
}

/** Hands on what another loop found: that one may still be waiting for other servers, and whoever asks may not have it yet. */
function foundBefore({ client, discovery, kept, address }: Asking, found: ListingFact): FoundTools {
  const isKnown = knownOf(client, discovery.view, address)?.at === found.at;
  if (isKnown || kept.told >= MAX_TOLD) return CURRENT;
  kept.told += 1;
  return { facts: [found] };
}

/** Returns whether the session has a list of a server's tools that is current at a time. */
export function isFresh(client: McpClient, view: LoopView, time: number): boolean {
  const known = knownListing(client, view);
  if (!known) return false;
  const at = knownOf(client, view, known.address)?.at ?? 0;
  return time - at < freshFor(client, known.listing);
}

/** Milliseconds for which a list is current where nobody says. */
const DEFAULT_TTL = 600_000;

/** The fewest and the most that a server is taken at its word for: many say 0 without a thought, and each turn would ask. */
const TTL = { least: 60_000, most: 86_400_000 };

/** What the app says counts, then what the server says; whom a list is for does not matter, as a session keeps one for each. */
const freshFor = ({ refreshAfter }: McpClient, { ttl = DEFAULT_TTL }: McpListing): number =>
  refreshAfter ?? Math.min(Math.max(ttl, TTL.least), TTL.most);

async function ask(asking: Asking, hasChanged: boolean): Promise<FoundTools> {
  const { client, discovery, kept } = asking;
  const began = discovery.now();
  try {
    const fact = await listed(asking);
    kept.found = fact;
    kept.problem = undefined;
    kept.told = 0;
    kept.isRelisted ||= hasChanged;
    return { facts: [fact] };
  } catch (thrown) {
    if (thrown instanceof CallInterrupted || discovery.signal.aborted) throw thrown;
    const problem = problemOf(client, thrown);
    // The developer is told more of what is not a server's failure.
    const { secrets, view } = discovery;
    const failure = thrown instanceof McpServerError ? thrown : { message: problem, cause: thrown };
    warn(forLog(failure, client, view), { secrets, log: view.log });
    const now = discovery.now();
    kept.problem = problem;
    kept.backoff = { until: now + BACKOFF * (now - began), problem };
    return { facts: [], problem };
  }
}

async function listed({ client, discovery, address }: Asking): Promise<ListingFact> {
  const { view, secrets } = discovery;
  const former = knownListing(client, view)?.listing;
  const isConnected = currentConnection(client, view) !== undefined;
  const connecting = isConnected ? 0 : connectingSubrequests(former?.spoken);
  const subrequests = LISTING_SUBREQUESTS + connecting;
  const listing = await discovery.ask({ subrequests, ms: client.connectTimeout }, async () => {
    const connection = await connectionTo(client, discovery, subrequests);
    const { tools, ttl } = await connection.listTools(discovery.signal);
    const about = { former, now: discovery.now(), spoken: connection.spoken, ttl, secrets, log: view.log };
    return toListing(client, tools, about);
  });
  if (listing.drift) warn(driftOf(client, secrets.redact(listing.drift)), { secrets, log: view.log });
  return toFact(listingKey(client, view, address), { former, listing });
}

function problemOf({ name, connectTimeout }: McpClient, thrown: unknown): string {
  if (thrown instanceof McpServerError) return thrown.message;
  const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
  const why = isLate
    ? `cannot be reached: it did not answer within ${connectTimeout} ms`
    : 'cannot be asked for its tools';
  return `MCP server '${name}' ${why}.`;
}

interface Comparison {
  readonly former: McpListing | undefined;
  readonly listing: McpListing;
}

/** Leaves out a list that has not changed: it may be long, and is not stored again. */
function toFact(key: string, { former, listing }: Comparison): ListingFact {
  const isSame =
    former?.fingerprint === listing.fingerprint &&
    former.ttl === listing.ttl &&
    sameJson(former.spoken ?? null, listing.spoken ?? null);
  return { key, at: listing.at, ...(!isSame && { told: listing }) };
}

/** Says how a server's tools have changed under an agent's hands, which is worth a look. */
function driftOf({ name }: McpClient, drift: Drift): string {
  const changes = (['added', 'removed', 'changed'] as const).flatMap((how) =>
    drift[how].length > 0 ? [`${how} ${shorten(drift[how].join(', '), 500)}`] : [],
  );
  return `MCP server '${name}' has other tools than this session knew: ${changes.join('; ')}`;
}

/** What one invocation knows of asking one server. */
interface AskedOfServer {
  asking?: Promise<FoundTools> | undefined;
  /** The newest list of this invocation. */
  found?: ListingFact;
  /** Counts how often the newest list was handed on. */
  told: number;
  /** True once it was asked again because it said that its tools are others. */
  isRelisted: boolean;
  /** True once the log says that it has no address. */
  isWarned: boolean;
  /** What went wrong when it was asked last. */
  problem?: string | undefined;
  backoff?: { readonly until: number; readonly problem: string };
}

const askings = perInvocation<AskedOfServer>('mcp listings', () => ({
  told: 0,
  isRelisted: false,
  isWarned: false,
}));
