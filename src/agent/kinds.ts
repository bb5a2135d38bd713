import { BINDINGS } from '../chaining/bindings.ts';
import type { StateSlice } from '../journal/state.ts';
import { PLAYBOOKS } from '../playbook/playbook-progress.ts';
import { PROCESS } from '../process/process-memory.ts';
import { POSITIONS } from '../state-machine/positions.ts';
import type { InjectionStrategy } from '../tools/injection.ts';
import { LISTINGS } from '../tools/listings.ts';
import { UNFOLDING } from '../unfolding/unfolding-slice.ts';
import { unfoldingStrategy } from '../unfolding/unfolding-strategy.ts';

/** What a kind of tool adds to the system: what it remembers, and which tools it offers for it. */
export interface ToolKind {
  readonly slice?: StateSlice;
  readonly strategy?: InjectionStrategy;
}

/** The only list of kinds. The reducer and the loop receive it and know none of them. */
const KINDS: readonly ToolKind[] = [
  { slice: BINDINGS },
  { slice: UNFOLDING, strategy: unfoldingStrategy },
  { slice: POSITIONS },
  { slice: PLAYBOOKS },
  { slice: PROCESS },
  { slice: LISTINGS },
];

export const SLICES: readonly StateSlice[] = KINDS.flatMap(({ slice }) => slice ?? []);

export const STRATEGIES: readonly InjectionStrategy[] = KINDS.flatMap(({ strategy }) => strategy ?? []);
