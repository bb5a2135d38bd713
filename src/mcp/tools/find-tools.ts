import type { ListingFact } from '../../modules/listings/entry.ts';
import { isEqualJson, shorten } from '../../tool/json.ts';
import { CallInterrupted } from '../../tool/signals.ts';
import type { Discovery, LoopView } from '../../tool/tool.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { McpServerError } from '../client/mcp-connection.ts';
import { countConnectSubrequests, resolveServerUrl } from '../client/server-access.ts';
import { logWarning } from '../content/words.ts';
import { createInvocationCache, findCurrentConnection, formatForLog, getConnection } from './connections.ts';
import {
  type Drift,
  findKnownListing,
  findStoredListing,
  getListingKey,
  type McpListing,
} from './listing.ts';
import { toListing } from './to-listing.ts';

/** The result of asking a server for its tools. */
export interface FoundTools {
  /** The facts for the session to store. Empty if it already has them. */
  readonly facts: readonly ListingFact[];
  /** The reason why there is no newer list, as text for a model. Absent if the known list is current. */
  readonly problem?: string | undefined;
}

/**
 * Returns the reason why this invocation could not list a server's tools, as text for a model. Returns
 * `undefined` if there is none.
 */
export const findCurrentProblem = (client: McpClient, view: LoopView): string | undefined =>
  serverKnowledge(client, view).problem;

/** The minimum number of requests for a list. Further ones are counted when they are made. */
const LISTING_SUBREQUESTS = 1;

/** How long a failed server is not asked again, as a multiple of the duration of its failure. */
const BACKOFF_FACTOR = 10;

/**
 * The maximum number of loops that receive a new list before the session has it, because a list can be long.
 */
const MAX_SHARED_LISTS = 10;

const NO_NEW_FACTS: FoundTools = { facts: [] };

/**
 * Lists a server's tools, unless the session has a list that is younger than `refreshAfter` ms. Asks once in
 * an invocation, and again if the server reports a change. The session stores successful lists, but no
 * failures. After a failure, the next model call asks again, and the known list stays in use.
 *
 * @throws CallInterrupted if the invocation has too little left.
 */
export async function findTools(client: McpClient, discovery: Discovery): Promise<FoundTools> {
  const kept = serverKnowledge(client, discovery.view);
  // Independent loops can need the tools of one server at the same time. They share the request.
  if (kept.asking) return kept.asking;
  const address = resolveAddress(client, discovery, kept);
  if (address.problem !== undefined) return { facts: [], problem: address.problem };
  const asking: ListRequest = { client, discovery, kept, address: address.href };
  const hasChanged = findCurrentConnection(client, discovery.view)?.hasChanged === true && !kept.isRelisted;
  if (!hasChanged && kept.found) return toSharedTools(asking, kept.found);
  if (!hasChanged && isFresh(client, discovery.view, discovery.now())) return NO_NEW_FACTS;
  if (kept.backoff && discovery.now() < kept.backoff.until)
    return { facts: [], problem: kept.backoff.problem };
  kept.asking = requestTools(asking, hasChanged).finally(() => {
    kept.asking = undefined;
  });
  return kept.asking;
}

interface ListRequest {
  readonly client: McpClient;
  readonly discovery: Discovery;
  readonly kept: ServerKnowledge;
  readonly address: string;
}

type ResolvedAddress = { readonly href: string; readonly problem?: undefined } | { readonly problem: string };

function resolveAddress(
  client: McpClient,
  { view, secrets }: Discovery,
  kept: ServerKnowledge,
): ResolvedAddress {
  try {
    return { href: resolveServerUrl(client, view).href };
  } catch (thrown) {
    const problem = toProblem(client, thrown);
    const { cause } = Object(thrown);
    if (!kept.isWarned)
      logWarning(formatForLog({ message: problem, cause }, client, view), { secrets, log: view.log });
    kept.isWarned = true;
    kept.problem = problem;
    return { problem };
  }
}

/**
 * Returns the list that another loop found. That loop can still be waiting for other servers, so the session
 * may lack the list.
 */
function toSharedTools({ client, discovery, kept, address }: ListRequest, found: ListingFact): FoundTools {
  const isKnown = findStoredListing(client, discovery.view, address)?.at === found.at;
  if (isKnown || kept.receivers >= MAX_SHARED_LISTS) return NO_NEW_FACTS;
  kept.receivers += 1;
  return { facts: [found] };
}

/** Returns whether the session has a list of a server's tools that is current at `time`. */
export function isFresh(client: McpClient, view: LoopView, time: number): boolean {
  const known = findKnownListing(client, view);
  if (!known) return false;
  const at = findStoredListing(client, view, known.address)?.at ?? 0;
  return time - at < computeFreshMs(client, known.listing);
}

/** The default number of milliseconds for which a list is current. */
const DEFAULT_TTL_MS = 600_000;

/**
 * The range for a server's own period. Many servers send 0 needlessly, and every turn would then ask again.
 */
const TTL_LIMITS = { least: 60_000, most: 86_400_000 };

/**
 * Returns the app's period, or else the server's. The cache scope does not matter, because a session stores a
 * list for each person.
 */
const computeFreshMs = ({ refreshAfter }: McpClient, { ttl = DEFAULT_TTL_MS }: McpListing): number =>
  refreshAfter ?? Math.min(Math.max(ttl, TTL_LIMITS.least), TTL_LIMITS.most);

async function requestTools(asking: ListRequest, hasChanged: boolean): Promise<FoundTools> {
  const { client, discovery, kept } = asking;
  const began = discovery.now();
  try {
    const fact = await requestListing(asking);
    kept.found = fact;
    kept.problem = undefined;
    kept.receivers = 0;
    kept.isRelisted ||= hasChanged;
    return { facts: [fact] };
  } catch (thrown) {
    if (thrown instanceof CallInterrupted || discovery.signal.aborted) throw thrown;
    const problem = toProblem(client, thrown);
    // For an error other than a server's failure, the log also contains the cause.
    const { secrets, view } = discovery;
    const failure = thrown instanceof McpServerError ? thrown : { message: problem, cause: thrown };
    logWarning(formatForLog(failure, client, view), { secrets, log: view.log });
    const now = discovery.now();
    kept.problem = problem;
    kept.backoff = { until: now + BACKOFF_FACTOR * (now - began), problem };
    return { facts: [], problem };
  }
}

async function requestListing({ client, discovery, address }: ListRequest): Promise<ListingFact> {
  const { view, secrets } = discovery;
  const former = findKnownListing(client, view)?.listing;
  const isConnected = findCurrentConnection(client, view) !== undefined;
  const connecting = isConnected ? 0 : countConnectSubrequests(former?.spoken);
  const subrequests = LISTING_SUBREQUESTS + connecting;
  const listing = await discovery.ask({ subrequests, ms: client.connectTimeout }, async () => {
    const connection = await getConnection(client, discovery, subrequests);
    const { tools, ttl } = await connection.listTools(discovery.signal);
    const about = { former, now: discovery.now(), spoken: connection.spoken, ttl, secrets, log: view.log };
    return toListing(client, tools, about);
  });
  if (listing.drift)
    logWarning(formatDrift(client, secrets.redact(listing.drift)), { secrets, log: view.log });
  return toFact(getListingKey(client, view, address), { former, listing });
}

function toProblem({ name, connectTimeout }: McpClient, thrown: unknown): string {
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

/** Omits an unchanged list, which can be long and is already stored. */
function toFact(key: string, { former, listing }: Comparison): ListingFact {
  const isSame =
    former?.fingerprint === listing.fingerprint &&
    former.ttl === listing.ttl &&
    isEqualJson(former.spoken ?? null, listing.spoken ?? null);
  return { key, at: listing.at, ...(!isSame && { told: listing }) };
}

/** Returns the log text for a change of a server's tools. */
function formatDrift({ name }: McpClient, drift: Drift): string {
  const changes = (['added', 'removed', 'changed'] as const).flatMap((how) =>
    drift[how].length > 0 ? [`${how} ${shorten(drift[how].join(', '), 500)}`] : [],
  );
  return `MCP server '${name}' has other tools than this session knew: ${changes.join('; ')}`;
}

/** The state of one server in an invocation. */
interface ServerKnowledge {
  asking?: Promise<FoundTools> | undefined;
  /** The newest list of this invocation. */
  found?: ListingFact;
  /** The number of loops that have received the newest list. */
  receivers: number;
  /** `true` after it was listed again because the server reported a change. */
  isRelisted: boolean;
  /** `true` after its missing URL was logged. */
  isWarned: boolean;
  /** The problem of the last request. */
  problem?: string | undefined;
  backoff?: { readonly until: number; readonly problem: string };
}

const serverKnowledge = createInvocationCache<ServerKnowledge>('mcp listings', () => ({
  receivers: 0,
  isRelisted: false,
  isWarned: false,
}));
