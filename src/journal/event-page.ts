import { type Infer, type Shape, TEXT } from '../tool/shape.ts';
import type { Snapshot } from './snapshot.ts';

/** An event on its way in: `body` is its JSON, `type` and `turn` the columns that decisions are made from. */
export interface NewRow {
  readonly type: string;
  readonly turn: string;
  readonly body: string;
}

/** An event as it is stored. */
export interface Row extends NewRow {
  readonly seq: number;
  /** The object's clock, ms since the epoch. */
  readonly at: number;
}

/** Asks for one page of the journal. */
export interface ReadQuery {
  /** The first sequence wanted. */
  readonly from: number;
  readonly turn?: string | undefined;
  /** Of the events up to `until`, only those of these types. */
  readonly types?: TypesUntil | undefined;
  readonly maxBytes?: number | undefined;
  readonly limit?: number | undefined;
  /**
   * Asks, in place of the events from `from` on, for what a session is folded from without being leased: its snapshot, the
   * messages that it covers, and the events to fold after them.
   */
  readonly folded?: { readonly reducer: number; readonly messageTypes: readonly string[] } | undefined;
}

/** Events of some types, up to a sequence. */
export interface TypesUntil {
  readonly names: readonly string[];
  readonly until: number;
  /** Where the conversation begins: given, their bodies may come as texts, without an event for each, as they come with a lease. */
  readonly textsFrom?: number | undefined;
}

/** What a session is folded from, with the events that come after it. */
export interface FoldStart {
  readonly snapshot: Snapshot | null;
  /**
   * The bodies of the reader's message types that the snapshot covers, in order, as texts of JSON arrays: a long
   * conversation crosses and is parsed in a few pieces. When they are too many for one answer, the next page begins with
   * those left out. Empty when there is no snapshot.
   */
  readonly covered: readonly string[];
}

/** One page of the journal, in the order of sequences. */
export interface EventPage {
  readonly rows: readonly Row[];
  /** Where the next page starts, or `null` at the end. */
  readonly next: number | null;
  /** The session's last sequence. */
  readonly head: number;
  /** Tells the session from one of the same name that was erased before it. */
  readonly incarnation?: string;
  /** The turn that is unfinished. */
  readonly openTurn: OpenTurn | null;
  readonly waiting: readonly WaitingTurn[];
  /** How the turn waits that the query names; absent when it does not, or none is named. */
  readonly waits?: Deferred;
  /** The turn that has taken in the message of the turn that the query names; absent when none has, or none is named. */
  readonly into?: string;
  /** What stands before the rows, where the query asks for what a session is folded from. */
  readonly foldStart?: FoldStart;
  /** Bodies of events before the rows, as `FoldStart.covered` has them, where the query lets them come so. */
  readonly covered?: readonly string[];
}

/** What watchers are told. */
export interface Notice {
  /** The last sequence; 0 when there is no session. */
  readonly head: number;
  readonly openTurn: OpenTurn | null;
  readonly waiting: readonly WaitingTurn[];
  /** The newest of the messages that were left for the holder and not read; absent when there are none. */
  readonly unread?: number | undefined;
  /** Told to holders alone: whether anybody reads who is shown what is not journaled. */
  readonly live?: boolean | undefined;
  /**
   * Sent to holders alone: a reader has come who is shown what is not journaled, and has seen nothing of what runs. It is a name for
   * `LiveMessage.to`; as a line of the holder opens, the one for all readers.
   */
  readonly joined?: string | undefined;
}

/** The turn of a session that has not ended. */
export interface OpenTurn {
  readonly id: string;
  /** `waiting`: for a decision. `running`: somebody holds it or is about to. */
  readonly state: 'running' | 'waiting';
}

/** The turn is stored, and starts later. */
export type Deferred =
  | { readonly status: 'queued'; readonly turn: string }
  /** For the open turn; if that ends before its holder has taken the message in, it is a turn of its own. */
  | { readonly status: 'steering'; readonly turn: string; readonly into: string }
  /** `at`: ms since the epoch, by the object's clock. */
  | { readonly status: 'scheduled'; readonly turn: string; readonly at: number };

/**
 * A message that has no turn yet. In a list, those that start when the open turn has ended come first, in their order, and then
 * those that wait for their time.
 */
export interface WaitingTurn extends Infer<typeof WAITING_TURN> {}
export const WAITING_TURN = {
  object: { turn: TEXT, status: { oneOf: ['queued', 'steering', 'scheduled'] } },
} as const satisfies Shape;
