import { FOLDING } from '../../journal/memory-folding.ts';
import { own } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact, type ToolMemory } from '../../tool/tool-memory.ts';

/** It is keyed by what may come from a model, so only own properties are looked up. */
type Positions = { readonly [key: string]: string };

/** Says that a machine came to stand in a state; with `start`, only if it stood in none. */
type Move = { readonly key: string; readonly state: string; readonly start?: true };

/** Remembers where the state machines of a session stand, each by its path. It outlives the turn. */
export const POSITIONS: ToolMemory<Positions, Move> = {
  name: 'state-machines',
  folding: FOLDING,
  initial: {},
  scope: 'path',
  // Loops of one machine may run side by side: none must take what another has moved for where it stands.
  when: 'call',
  apply(positions, { key, state, start }) {
    if (start && Object.hasOwn(positions, key)) return positions;
    // Computed keys make properties of their own, whatever the name: `__proto__` is a key like any other.
    return { ...positions, [key]: state };
  },
};

/** The module of state machines. */
export const STATE_MACHINES = useOf(createModule({ name: 'state-machines', state: [POSITIONS] }));

/**
 * The state that the journal has for this key of the machine whose nested loop this is; the code may not know it any
 * more.
 */
export const storedPosition = (view: Pick<LoopView, 'recall'>, key: string): string | undefined =>
  own(view.recall(POSITIONS), key);

/** One call of a machine, as its nested loop knows it. */
export interface StateRun {
  readonly machine: string;
  /** Names of its states. */
  readonly states: ReadonlySet<string>;
  /** Where it stands that was never moved. */
  readonly initial: string;
  /** What has become of states that the code no longer has. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Under which its position is kept. */
  readonly key: string;
}

/** Where a machine stands, or the state that it no longer has. */
export type Position =
  | { readonly ok: true; readonly state: string }
  | ({ readonly ok: false } & GonePosition);

/** Where a machine stands that has no such state any more. */
export interface GonePosition {
  readonly machine: string;
  readonly key: string;
  readonly state: string;
}

/**
 * Answers where the machine stands, by what its nested loop knows. A state that is gone is never taken for the initial
 * one.
 */
export function positionIn(
  { machine, states, initial, renamed, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
): Position {
  const stored = storedPosition(view, key) ?? initial;
  const state = renamed.get(stored) ?? stored;
  return states.has(state) ? { ok: true, state } : { ok: false, machine, key, state };
}

/** Answers what is remembered when the loop of a call opens: that the machine begins anew, or where it starts. */
export function startingFacts(
  { initial: state, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
  isReset: boolean,
): readonly MemoryFact[] {
  if (isReset) return [factOf(POSITIONS, { key, state })];
  // Another call of the batch may have begun in the meantime, and moved on: it is not sent back.
  return storedPosition(view, key) === undefined ? [factOf(POSITIONS, { key, state, start: true })] : [];
}
