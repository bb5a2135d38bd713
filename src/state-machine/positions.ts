import type { LoopView } from '../tools/injection.ts';
import type { Slice } from '../tools/slice.ts';

/** By the machine's path, then by key. Both may come from a model: they are looked up as own properties only. */
type Positions = { readonly [path: string]: { readonly [key: string]: string } };

/** That a machine came to stand in a state. `start`: only if it stood in none. */
type Move = { readonly key: string; readonly state: string; readonly start?: true };

/** Where the state machines of a session stand. It outlives the turn. */
export const POSITIONS: Slice<Positions, Move> = {
  name: 'state-machines',
  initial: {},
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

const own = <Value>(values: { readonly [name: string]: Value }, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
