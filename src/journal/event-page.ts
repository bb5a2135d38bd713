import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * An event to be stored. `body` is its JSON. `type` and `turn` are columns on which the object bases its
 * decisions.
 */
export interface NewRow {
  readonly type: string;
  readonly turn: string;
  readonly body: string;
}

/** A stored event. */
export interface Row extends NewRow {
  readonly seq: number;
  /** When it was stored, in ms since the epoch by the object's clock. */
  readonly at: number;
}

/** A request for one page of the journal. */
export interface ReadQuery {
  /** The first sequence number to return. */
  readonly from: number;
  readonly turn?: string | undefined;
  /** Limits events up to `until` to these types. */
  readonly types?: TypeFilter | undefined;
  readonly maxBytes?: number | undefined;
  readonly limit?: number | undefined;
  /**
   * Requests the data to fold a session without a lease, instead of the events from `from` on: its snapshot,
   * the messages that it covers, and the later events.
   */
  readonly folded?: { readonly reducer: number; readonly messageTypes: readonly string[] } | undefined;
}

/** Event types, and the sequence number up to which they apply. */
export interface TypeFilter {
  readonly names: readonly string[];
  readonly until: number;
  /**
   * Where the conversation begins. If given, the bodies can arrive as texts instead of one row per event, as
   * with a lease.
   */
  readonly textsFrom?: number | undefined;
}

/** The data that a session is folded from, before the later events. */
export interface FoldStart {
  readonly snapshot: Snapshot | null;
  /**
   * The bodies of message events that the snapshot covers, in order, as texts of JSON arrays, so that a long
   * conversation is sent and parsed in a few pieces. If they do not fit in one reply, the next page begins
   * with the rest. Empty without a snapshot.
   */
  readonly covered: readonly string[];
}

/** One page of the journal, ordered by sequence number. */
export interface EventPage {
  readonly rows: readonly Row[];
  /** The start of the next page, or `null` at the end. */
  readonly next: number | null;
  /** The last sequence number of the session. */
  readonly head: number;
  /** Distinguishes the session from an erased one of the same name. */
  readonly incarnation?: string;
  /** The unfinished turn. */
  readonly openTurn: OpenTurn | null;
  readonly waiting: readonly WaitingTurn[];
  /** How the queried turn waits. Absent if it does not wait, or if the query has no `turn`. */
  readonly waits?: DeferredTurn;
  /**
   * The turn that includes the message of the queried turn. Absent if there is no such turn, or if the query
   * has no `turn`.
   */
  readonly into?: string;
  /** The data to fold before the rows, if the query requested it. */
  readonly foldStart?: FoldStart;
  /** Bodies of earlier events, like `FoldStart.covered`, if the query allows them. */
  readonly covered?: readonly string[];
}

/** A report to a watcher. */
export interface Notice {
  /** The last sequence number, or 0 if there is no session. */
  readonly head: number;
  readonly openTurn: OpenTurn | null;
  readonly waiting: readonly WaitingTurn[];
  /** The newest unread message for the lease holder. Absent if there is none. */
  readonly unread?: number | undefined;
  /** For lease holders only: whether a reader receives live items. */
  readonly live?: boolean | undefined;
  /**
   * For lease holders only: the name of a new reader who receives live items and has seen none yet, for use
   * in `LiveMessage.to`. When the holder's line opens, the name that stands for all readers.
   */
  readonly joined?: string | undefined;
}

/** The turn of a session that has not ended. */
export interface OpenTurn {
  readonly id: string;
  /** `waiting`: for a decision. `running`: an invocation holds it or is about to. */
  readonly state: 'running' | 'waiting';
}

/** The turn is stored, and starts later. */
export type DeferredTurn =
  | { readonly status: 'queued'; readonly turn: string }
  /**
   * Steers the open turn. If the turn ends before its holder reads the message, the message becomes a turn.
   */
  | { readonly status: 'steering'; readonly turn: string; readonly into: string }
  /** `at`: ms since the epoch, by the object's clock. */
  | { readonly status: 'scheduled'; readonly turn: string; readonly at: number };

/**
 * A message that has not started a turn yet. In a list, messages that start after the open turn come first,
 * in their order, followed by scheduled ones.
 */
export interface WaitingTurn extends Infer<typeof WAITING_TURN> {}
export const WAITING_TURN = {
  object: { turn: TEXT, status: { oneOf: ['queued', 'steering', 'scheduled'] } },
} as const satisfies Shape;
