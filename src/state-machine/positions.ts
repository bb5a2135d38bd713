import type { LoopView } from '../tools/injection.ts';
import { own } from '../tools/own.ts';
import type { Slice } from '../tools/slice.ts';

/** By the machine's path, then by key. Both may come from a model: they are looked up as own properties only. */
type Positions = { readonly [path: string]: { readonly [key: string]: string } };

/** That a machine came to stand in a state. `start`: only if it stood in none. */
type Move = { readonly key: string; readonly state: string; readonly start?: true };

/** Where the state machines of a session stand. It outlives the turn. */
export const POSITIONS: Slice<Positions, Move> = {
  name: 'state-machines',
  initial: {},
  // Loops of one machine may run side by side: none must take what another has moved for where it stands.
  immediate: true,
  apply(positions, { key, state, start }, { path }) {
    const ofMachine = own(positions, path) ?? {};
    if (start && Object.hasOwn(ofMachine, key)) return positions;
    // Computed keys make properties of their own, whatever the name: `__proto__` is a key like any other.
    return { ...positions, [path]: { ...ofMachine, [key]: state } };
  },
};

/** The state that the journal has for this key of the machine whose nested loop this is; the code may not know it any more. */
export const storedPosition = (view: Pick<LoopView, 'recall' | 'path'>, key: string): string | undefined =>
  own(own(view.recall(POSITIONS), view.path) ?? {}, key);
