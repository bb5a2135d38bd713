import type { Json } from '../tools/json.ts';
import type { FactPlace, SliceFact } from '../tools/slice.ts';
import type { SessionEvent } from './events.ts';
import type { Fold, SessionState, StateSlice } from './state.ts';

/** Facts of one event, and where they were recorded. */
interface RecordedFacts {
  readonly facts: readonly SliceFact[] | undefined;
  readonly place: FactPlace;
  /**
   * `call`: the call that recorded them has just ended, and memories take them that must not wait. `batch`: its whole batch has
   * ended, and all others take them. Absent: they came with no call's end, and nobody waits.
   */
  readonly when?: 'call' | 'batch';
}

/** Applies facts to the memories that take them now. Those of a kind that this code does not know are kept by nobody. */
export function applyFacts({ state, slices }: Fold, { facts, place, when }: RecordedFacts): void {
  for (const { slice: name, fact } of facts ?? []) {
    const slice = slices.find((one) => one.name === name);
    if (!slice?.apply || (when && when !== whenOf(slice))) continue;
    state.slices.set(name, slice.apply(rememberedBy(state, slice), fact, place));
  }
}

const whenOf = ({ immediate = false }: StateSlice): 'call' | 'batch' => (immediate ? 'call' : 'batch');

/** Tells every memory of an event, once all else of it is folded. */
export function tellMemories(state: SessionState, event: SessionEvent, slices: readonly StateSlice[]): void {
  for (const slice of slices) {
    const value = rememberedBy(state, slice);
    state.slices.set(slice.name, slice.reduce ? slice.reduce(value, state, event) : value);
  }
}

const rememberedBy = ({ slices }: SessionState, { name, initial }: StateSlice): Json =>
  slices.get(name) ?? initial;
