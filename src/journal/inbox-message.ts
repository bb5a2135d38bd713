import type { KeptBlob } from './blob.ts';

/**
 * The kind of a message to the lease holder. `expired`: posted by the object itself when a wait expires.
 * `late`: the result of a call that has ended, possibly with its turn.
 */
export type InboxMessageKind = 'cancel' | 'answer' | 'expired' | 'late';

/**
 * The kind of a waiting message: behind earlier turns, for the holder of the open turn, or until its time.
 */
export type WaitingKind = 'message' | 'steer' | 'scheduled';

/**
 * The kind of a row that waits in a session: a message to the lease holder, a future turn, or a `note`. A
 * note is the body of a `module-event` of any turn, past or open. The object journals it as soon as the
 * session has no lease holder.
 */
export type InboxKind = InboxMessageKind | WaitingKind | 'note';

/** Identifies the wait that a message answers. `bodyHash` identifies the answer if its sender repeats it. */
export interface WaitAnswer {
  readonly wait: string;
  readonly bodyHash: string;
}

/** A message to the lease holder of a session, or to its journal. `answers` is set if it answers a wait. */
export interface PostedMessage {
  readonly kind: InboxMessageKind | 'note';
  readonly turn: string;
  readonly body: string;
  readonly answers?: WaitAnswer | undefined;
  /** The blobs in a late result. */
  readonly blobs?: readonly KeptBlob[] | undefined;
}

/** The outcome of posting a message to the holder of a turn. */
export type PostOutcome =
  | 'posted'
  /** The turn is not open, or does not accept messages of this kind. */
  | 'no-such-turn'
  /** The same answer was accepted before. */
  | 'known'
  /** Another answer was accepted before. */
  | 'answered'
  /** The wait expired without an answer. */
  | 'expired'
  /** The session is full, and accepts only a cancel. */
  | 'session-full';

/**
 * A message for the lease holder. The body of a `steer` is the `turn-started` that it becomes if no holder
 * reads it.
 */
export interface InboxMessage {
  readonly id: number;
  readonly kind: InboxMessageKind | 'steer';
  readonly turn: string;
  readonly body: string;
}

/**
 * The maximum number of waiting turns in a session, queued or scheduled, and the maximum bytes of their
 * messages.
 */
export const MAX_WAITING = { turns: 100, bytes: 10_000_000 } as const;

/** The number of waiting turns in a session, for any reason, and the total bytes of their messages. */
export interface WaitingLoad {
  readonly turns: number;
  readonly bytes: number;
}
