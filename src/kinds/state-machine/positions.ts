import { defineToolKind } from '../../tool/define-tool-kind.ts';
import { own } from '../../tool/json.ts';
import type { LoopView } from '../../tool/tool.ts';

/** By key, which may come from a model: looked up as own properties only. */
type Positions = { readonly [key: string]: string };

/** That a machine came to stand in a state. `start`: only if it stood in none. */
type Move = { readonly key: string; readonly state: string; readonly start?: true };

/** Remembers where the state machines of a session stand, each by its path. It outlives the turn. */
export const STATE_MACHINES = defineToolKind({
  name: 'holdfast:state-machines',
  memory: {
    initial: {},
    scope: 'path',
    // Loops of one machine may run side by side: none must take what another has moved for where it stands.
    when: 'call',
    apply(positions: Positions, { key, state, start }: Move) {
      if (start && Object.hasOwn(positions, key)) return positions;
      // Computed keys make properties of their own, whatever the name: `__proto__` is a key like any other.
      return { ...positions, [key]: state };
    },
  },
});

/** The memory of state machines. */
export const POSITIONS = STATE_MACHINES.memory;

/** The state that the journal has for this key of the machine whose nested loop this is; the code may not know it any more. */
export const storedPosition = (view: Pick<LoopView, 'recall'>, key: string): string | undefined =>
  own(view.recall(POSITIONS), key);
