import type { Json } from './json.ts';
import type { Slice } from './slice.ts';

/** What a source of tools told of them. A type alias: it must be JSON. */
export type Listing = {
  /** Names the source, and whoever asked it: one's tools are not another's. */
  readonly key: string;
  /** As the source's own code reads it. */
  readonly told: Json;
  /** When it was last found to be so, in ms since the epoch, where the source goes by that. */
  readonly at?: number;
};

/** A listing; or, without what was told, that the one of this key is still so. */
export type ListingFact = Pick<Listing, 'key' | 'at'> & { readonly told?: Json };

/** The newest listing of each key, the one that was found last at the end. */
export type Listings = readonly Listing[];

/** Sources times people who share a session; who comes back after more others is asked anew. */
const MAX_LISTINGS = 32;

/** Tools that were found outside: the session knows them, so that another invocation need not ask again. */
export const LISTINGS: Slice<Listings, ListingFact> = {
  name: 'listings',
  initial: [],
  apply(listings, { key, at, told }) {
    const known = listings.find((one) => one.key === key);
    const now = told === undefined ? known?.told : told; // `null` is something that may be told
    if (now === undefined) return listings;
    const others = listings.filter((one) => one !== known);
    return [...others, { key, told: now, ...(at !== undefined && { at }) }].slice(-MAX_LISTINGS);
  },
};
