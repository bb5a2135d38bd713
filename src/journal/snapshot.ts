import type { ResultData } from '../tool/tool-result.ts';
import { createStandIn } from './cut.ts';
import {
  createEmptyState,
  createOfferHistory,
  type SessionState,
  type TurnState,
  type TurnTree,
} from './state.ts';

/** The folded state at a sequence number, as text, with the version of the reducer that made it. */
export interface Snapshot {
  readonly seq: number;
  readonly reducer: number;
  readonly body: string;
  /**
   * The first event whose message is still in the conversation. Earlier messages were cut off. Defaults to 1.
   */
  readonly messagesFrom?: number | undefined;
}

/** The contents of a snapshot: all of the state except the messages, which are read from the journal. */
interface SnapshotBody
  extends Pick<
    SessionState,
    'seq' | 'incarnation' | 'agent' | 'usage' | 'offered' | 'starts' | 'blackboard' | 'cut' | 'recurring'
  > {
  readonly cells: readonly [string, SessionState['callState'] extends Map<string, infer V> ? V : never][];
  readonly slices: readonly [string, SessionState['memories'] extends Map<string, infer V> ? V : never][];
  readonly inDoubt: readonly string[];
  readonly closedUnread: readonly [string, ResultData][];
  readonly trees: readonly [string, TurnTree][];
  readonly turn?: Omit<TurnState, 'frames' | 'callsByTool'> & {
    readonly callsByTool: readonly [string, number][];
  };
}

/** Returns the state as text. Call it only between turns, since it omits the frames of an open turn. */
export function toSnapshot(state: SessionState): string {
  const {
    messages: _,
    brokenMemories: __,
    callState,
    memories,
    inDoubt,
    closedUnread,
    trees,
    ...kept
  } = state;
  const { turn, offered } = kept;
  return JSON.stringify({
    ...kept,
    // The pending change of tools is read from the journal, like the messages.
    offered: { ...offered, change: undefined },
    cells: [...callState],
    slices: [...memories],
    inDoubt: [...inDoubt],
    closedUnread: [...closedUnread],
    trees: [...trees],
    turn: turn && { ...turn, frames: undefined, callsByTool: [...turn.callsByTool] },
  });
}

/**
 * Restores the state that `toSnapshot` wrote. Its only message is the one that replaces those before a cut.
 */
export function parseSnapshot(body: string): SessionState {
  const stored = JSON.parse(body) as SnapshotBody; // `toSnapshot` of this reducer's version wrote it.
  const { turn, cells, slices, inDoubt, closedUnread, trees, cut, ...rest } = stored;
  return {
    ...createEmptyState(),
    ...rest,
    offered: { ...createOfferHistory(), ...rest.offered },
    cut,
    messages: cut ? [createStandIn(cut.text)] : [],
    inDoubt: new Set(inDoubt),
    closedUnread: new Map(closedUnread),
    trees: new Map(trees),
    callState: new Map(cells),
    memories: new Map(slices),
    turn: turn && {
      ...turn,
      frames: new Map(),
      callsByTool: new Map(turn.callsByTool),
    },
  };
}
