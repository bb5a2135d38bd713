import type { DomainType } from '../tools/domain-type.ts';

/** Any object of a type that has tools. */
export interface AnyChained {
  readonly chain: 'any';
  readonly types: readonly DomainType[];
}

/**
 * As `'any'`: offers the tools of the last object that a call returned by itself, whatever its type, in place of those
 * of the object before it (CHN-09). The types are these, those that are chained beside it, those that the loop's own
 * tools declare as their `output`, inner ones too, and those to which tools of such objects lead. An artifact without
 * a type is taken for one of the first type, in this order, whose schema it fits.
 */
export const chainAny = (...types: readonly DomainType[]): AnyChained => ({ chain: 'any', types });
