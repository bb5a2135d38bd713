import type { LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact } from '../../tool/tool-memory.ts';
import { POSITIONS, storedPosition } from './positions.ts';
import type { GonePosition } from './state-texts.ts';

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

/** Where the machine stands, by what its nested loop knows. A state that is gone is never taken for the initial one. */
export function positionIn(
  { machine, states, initial, renamed, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
): Position {
  const stored = storedPosition(view, key) ?? initial;
  const state = renamed.get(stored) ?? stored;
  return states.has(state) ? { ok: true, state } : { ok: false, machine, key, state };
}

/** What is remembered when the loop of a call opens: that the machine begins anew, or where it starts. */
export function openingFacts(
  { initial: state, key }: StateRun,
  view: Pick<LoopView, 'recall'>,
  isReset: boolean,
): readonly MemoryFact[] {
  if (isReset) return [factOf(POSITIONS, { key, state })];
  // Another call of the batch may have begun in the meantime, and moved on: it is not sent back.
  return storedPosition(view, key) === undefined ? [factOf(POSITIONS, { key, state, start: true })] : [];
}
