import { CallInterrupted } from '../../tools/call-interrupted.ts';
import type { Discovery } from '../../tools/discovery.ts';
import type { LoopView } from '../../tools/injection.ts';
import { shorten } from '../../tools/json-text.ts';
import { LISTINGS, type Listing, type ListingFact } from '../../tools/listings.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { McpServerError } from '../client/mcp-connection.ts';
import { connectionTo, currentConnection } from './connections.ts';
import type { Drift, McpListing } from './listing.ts';
import { ofInvocation } from './of-invocation.ts';
import { parseListing, toListing } from './to-listing.ts';

/** What came of asking a server for its tools. */
export interface FoundTools {
  /** What the session is to remember; nothing when it knows already. */
  readonly facts: readonly ListingFact[];
  /** Why there is no newer list, in words for a model; absent when what is known is current. */
  readonly problem?: string | undefined;
}

/** Requests at the most: to connect three, and a page of tools each. */
const SUBREQUESTS = 8;

/** A server that failed slowly is left alone for as many times as long as it took. */
const BACKOFF = 10;

const CURRENT: FoundTools = { facts: [] };

/**
 * Asks a server which tools it has, unless the session knows from less than `refreshAfter` ms ago. Success is remembered in
 * the session, and failure never (MCP-09): the server is asked again by the next model call. What is known stays in use then.
 *
 * @throws CallInterrupted when too little is left of the invocation.
 */
export async function findTools(client: McpClient, discovery: Discovery): Promise<FoundTools> {
  const kept = askings(client, discovery.view);
  // Several lists of tools may be made of one server.
  if (kept.asking) return kept.asking.then(({ problem }) => ({ facts: [], problem }));
  if (isCurrent(client, discovery)) return CURRENT;
  if (kept.backoff && discovery.now() < kept.backoff.until)
    return { facts: [], problem: kept.backoff.problem };
  const asking = ask(client, discovery).finally(() => {
    kept.asking = undefined;
  });
  kept.asking = asking;
  return asking;
}

async function ask(client: McpClient, discovery: Discovery): Promise<FoundTools> {
  const { view } = discovery;
  const began = discovery.now();
  const former = knownListing(client, view);
  try {
    const needs = { subrequests: SUBREQUESTS, ms: client.connectTimeout };
    const listing = await discovery.ask(needs, async () => {
      const connection = await connectionTo(client, discovery);
      const tools = await connection.listTools(discovery.signal);
      return toListing(client, tools, { former, now: discovery.now() });
    });
    warnOfDrift(client, listing.drift);
    return { facts: [toFact(client, view, { former, listing })] };
  } catch (thrown) {
    if (thrown instanceof CallInterrupted || discovery.signal.aborted) throw thrown;
    const problem =
      thrown instanceof McpServerError
        ? thrown.message
        : `MCP server '${client.name}' cannot be asked for its tools.`;
    console.warn(`holdfast: ${problem}`, ...(thrown instanceof McpServerError ? [] : [thrown]));
    const now = discovery.now();
    askings(client, view).backoff = { until: now + BACKOFF * (now - began), problem };
    return { facts: [], problem };
  }
}

/** What a session knows of a server's tools; asked for by whoever's turn it is. */
export function knownListing(client: McpClient, view: LoopView): McpListing | undefined {
  const known = knownOf(client, view);
  return known && parseListing(known.told);
}

const knownOf = (client: McpClient, view: LoopView): Listing | undefined =>
  view.recall(LISTINGS).find(({ key }) => key === listingKey(client, view));

/** One server at one address, as one person sees it. */
function listingKey({ name, url }: McpClient, { principal: { id, tenant } }: LoopView): string {
  return JSON.stringify([name, typeof url === 'string' ? url : null, tenant ?? null, id]);
}

function isCurrent(client: McpClient, { view, now }: Discovery): boolean {
  if (!knownListing(client, view) || currentConnection(client, view)?.hasChanged) return false;
  const at = knownOf(client, view)?.at ?? 0;
  return now() - at < client.refreshAfter;
}

interface Comparison {
  readonly former: McpListing | undefined;
  readonly listing: McpListing;
}

/** A list may be long and seldom changes: what is still so is not stored again. */
function toFact(client: McpClient, view: LoopView, { former, listing }: Comparison): ListingFact {
  const { at } = listing;
  const isSame = former?.fingerprint === listing.fingerprint;
  return { key: listingKey(client, view), at, ...(!isSame && { told: listing }) };
}

/** A server whose tools change under an agent's hands is worth a look. */
function warnOfDrift({ name }: McpClient, drift: Drift | undefined): void {
  if (!drift) return;
  const changes = (['added', 'removed', 'changed'] as const).flatMap((how) =>
    drift[how].length > 0 ? [`${how} ${shorten(drift[how].join(', '), 500)}`] : [],
  );
  console.warn(
    `holdfast: MCP server '${name}' has other tools than this session knew: ${changes.join('; ')}`,
  );
}

/** What one invocation knows of asking one server. */
interface AskedOfServer {
  asking?: Promise<FoundTools> | undefined;
  backoff?: { readonly until: number; readonly problem: string };
}

const askings = ofInvocation<AskedOfServer>('mcp listings', () => ({}));
