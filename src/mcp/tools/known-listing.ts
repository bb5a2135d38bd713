import { attempt } from '../../tool/async.ts';
import { LISTINGS, type Listing } from '../../tool/listings.ts';
import type { LoopView } from '../../tool/tool.ts';
import { addressOf } from '../client/address-of.ts';
import type { McpClient } from '../client/mcp-client.ts';
import type { McpListing } from './listing.ts';
import { parseListing } from './to-listing.ts';

/** A list of tools, and whose it is. */
interface KnownListing {
  readonly listing: McpListing;
  /** Where the server was that has them: a call goes there or nowhere. */
  readonly address: string;
}

/** What a session knows of a server's tools; asked for by whoever's turn it is. None of a server that has no address now. */
export function knownListing(client: McpClient, view: LoopView): KnownListing | undefined {
  const address = attempt(() => addressOf(client, view).href);
  if (!address.ok) return undefined;
  const known = knownOf(client, view, address.value);
  const listing = known && parseListing(known.told);
  return listing && { listing, address: address.value };
}

/** As the session keeps it. */
export const knownOf = (client: McpClient, view: LoopView, address: string): Listing | undefined =>
  view.recall(LISTINGS).find(({ key }) => key === listingKey(client, view, address));

/** One server at one address, as one person sees it. */
export const listingKey = (
  { name }: McpClient,
  { principal: { id, tenant } }: LoopView,
  address: string,
): string => JSON.stringify([name, address, tenant ?? null, id]);
