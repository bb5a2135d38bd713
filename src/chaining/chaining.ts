import type { DomainType } from '../tools/domain-type.ts';
import type { InjectionStrategy } from '../tools/injection.ts';

/** Which artifacts bring tools with them. */
export type Chaining = 'any' | readonly (DomainType | 'any')[];

/** What offers the tools of bound objects, for an agent's own loop or a frame's `sources`. */
export const chainingSources = (_chaining: Chaining | undefined): readonly InjectionStrategy[] => [];
