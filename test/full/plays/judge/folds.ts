import { isDeepStrictEqual } from 'node:util';
import type { ModuleUse, ResultData } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import type { ToolMemory } from '../../../../src/module.ts';
import {
  createEmptyState,
  foldCoveredEvent,
  MESSAGE_TYPES,
  parseSnapshot,
  reduce,
} from '../../../doors/journal.ts';
import { composeModules } from '../../../doors/kinds.ts';

/** A snapshot, as a holder stores it. */
export interface StoredSnapshot {
  readonly seq: number;
  readonly reducer: number;
  readonly body: string;
}

/** Folds journals with the modules of the app's versions. */
export class Folds {
  readonly #memories = new Map<number, readonly ToolMemory[]>();

  /** Registers the modules of a version. */
  knows(uses: readonly ModuleUse[]): void {
    const { reducer, memories } = composeModules(uses);
    this.#memories.set(reducer, memories);
  }

  /**
   * Returns the difference between a snapshot and a fold of the journal, or `undefined`. The writer created
   * the snapshot from its state in memory.
   */
  snapshotFault({ seq, reducer, body }: StoredSnapshot, events: readonly StoredEvent[]): string | undefined {
    const memories = this.#memories.get(reducer);
    if (!memories) return `its reducer ${reducer} is of no version`;
    const cold = foldAll(
      events.filter((event) => event.seq <= seq),
      memories,
    );
    return findDifference(toSnapshotState(cold), toSnapshotState(parseSnapshot(body)));
  }

  /** Returns the results with which a fold closes the open calls of abandoned, unreadable turns. */
  closedUnread(events: readonly StoredEvent[]): ReadonlyMap<string, ResultData> {
    const [memories = []] = this.#memories.values();
    return foldAll(events, memories).closedUnread;
  }

  /**
   * Folds the journal from a snapshot and from its start. Returns the difference between the two states, or
   * `undefined`.
   */
  foldFault({ seq, reducer, body }: StoredSnapshot, events: readonly StoredEvent[]): string | undefined {
    const memories = this.#memories.get(reducer) ?? [];
    const state = parseSnapshot(body);
    for (const event of events) {
      if (event.seq > seq) reduce(state, event, memories);
      else if (MESSAGE_TYPES.includes(event.type) && event.seq >= (state.cut?.from ?? 1))
        foldCoveredEvent(state, event);
    }
    const cold = foldAll(events, memories);
    if (cold.turn?.outcome === undefined && cold.turn) return undefined; // snapshots are stored only between turns
    return findDifference(cold, state);
  }
}

function foldAll(events: readonly StoredEvent[], memories: readonly ToolMemory[]) {
  const state = createEmptyState();
  for (const event of events) reduce(state, event, memories);
  return state;
}

/**
 * Returns the part of a state that a snapshot stores. It excludes messages, which are in the journal, and open
 * loops.
 */
const toSnapshotState = ({ messages: _, turn, offered, ...state }: ReturnType<typeof createEmptyState>) => ({
  ...state,
  offered: { ...offered, change: undefined },
  turn: turn && { ...turn, frames: undefined },
});

/**
 * Returns the first difference in one line. Compares the states themselves, because their serialized forms can
 * both lack the same data.
 */
function findDifference(cold: unknown, warm: unknown): string | undefined {
  const [one, other] = [cold, warm].map((value): unknown => JSON.parse(JSON.stringify(value, asEntries)));
  if (isDeepStrictEqual(one, other)) return undefined;
  return findFirstDifference(one, other, '');
}

const asEntries = (_: string, value: unknown): unknown =>
  value instanceof Map || value instanceof Set ? [...value] : value;

function findFirstDifference(one: unknown, other: unknown, path: string): string {
  if (typeof one === 'object' && typeof other === 'object' && one !== null && other !== null) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const [mine, theirs] = [Reflect.get(one, key), Reflect.get(other, key)];
      if (!isDeepStrictEqual(mine, theirs)) return findFirstDifference(mine, theirs, `${path}.${key}`);
    }
  }
  return `${path}: cold ${JSON.stringify(one)?.slice(0, 200)}, warm ${JSON.stringify(other)?.slice(0, 200)}`;
}
