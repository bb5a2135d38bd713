/** The entry `holdfast/listings`: tools that are found outside before a model is asked, and remembered by the session. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { LISTED_TOOLS as listings } from './listings.ts';
export { LISTINGS, type Listing, type ListingFact, type Listings } from './memory.ts';
