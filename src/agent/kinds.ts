import type { StateSlice } from '../journal/state.ts';
import type { InjectionStrategy } from '../tools/injection.ts';

/** What a kind of tool adds to the system: what it remembers, and which tools it offers for it. */
export interface ToolKind {
  readonly slice?: StateSlice;
  readonly strategy?: InjectionStrategy;
}

/** The only list of kinds. The reducer and the loop receive it and know none of them. */
const KINDS: readonly ToolKind[] = [];

export const SLICES: readonly StateSlice[] = KINDS.flatMap(({ slice }) => slice ?? []);

export const STRATEGIES: readonly InjectionStrategy[] = KINDS.flatMap(({ strategy }) => strategy ?? []);
