import type { Json } from './json.ts';
import type { Slice } from './slice.ts';

/** What a source of tools told of them. A type alias: it must be JSON. */
export type Listing = {
  /** Names the source, and whoever asked it: one's tools are not another's. */
  readonly key: string;
  /** As the source's own code reads it. */
  readonly told: Json;
};

/** The newest listing of each key, the one that was told last at the end. */
export type Listings = readonly Listing[];

/** Sources times people who share a session; who comes back after more others is asked anew. */
const MAX_LISTINGS = 32;

/** Tools that were found outside: the session knows them, so that another invocation need not ask again. */
export const LISTINGS: Slice<Listings, Listing> = {
  name: 'listings',
  initial: [],
  apply: (listings, listing) =>
    [...listings.filter(({ key }) => key !== listing.key), listing].slice(-MAX_LISTINGS),
};
