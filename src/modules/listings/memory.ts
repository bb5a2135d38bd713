import { FOLDING } from '../../journal/memory-folding.ts';
import type { Json } from '../../tool/json.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/** Remembers tools that were found outside, so that another invocation need not ask again. */
export const LISTINGS: ToolMemory<Listings, ListingFact> = {
  name: 'listings',
  folding: FOLDING,
  initial: [],
  scope: 'session',
  isHidden: true,
  when: 'batch',
  apply(listings, { key, at, told }) {
    const known = listings.find((one) => one.key === key);
    const now = told === undefined ? known?.told : told; // `null` is something that may be told
    if (now === undefined) return listings;
    const others = listings.filter((one) => one !== known);
    return kept([...others, { key, told: now, ...(at !== undefined && { at }) }]);
  },
};

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

/** Those that were found last, as many as there is room for; the very last in any case. */
function kept(listings: Listings): Listings {
  let room = MAX_TOLD;
  const from = listings.findLastIndex(({ told }, index) => {
    room -= JSON.stringify(told).length;
    return room < 0 && index < listings.length - 1;
  });
  return listings.slice(Math.max(from + 1, listings.length - MAX_LISTINGS));
}

/** Sources x principals that one session remembers; the one found longest ago is forgotten, and asked again. */
const MAX_LISTINGS = 100;

/** Characters of JSON of all of them: a snapshot of the session holds them too. */
const MAX_TOLD = 2 * 1024 * 1024;
