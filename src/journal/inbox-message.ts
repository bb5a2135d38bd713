import type { KeptBlob } from './blob.ts';

/**
 * What is left for the holder of a session. `expired` is posted by the object itself, at a wait's time; `late` is the result
 * of a call that has ended, also of a turn that has.
 */
export type InboxMessageKind = 'cancel' | 'answer' | 'expired' | 'late';

/** A message that waits: for the turns before it, for the holder of the open turn to take it in, or for its time. */
export type WaitingKind = 'message' | 'steer' | 'scheduled';

/**
 * What a row that waits in a session may be: a message to the holder of a turn, a turn that is to come, or a `note`: the body of a
 * `module-event` of any turn that ever was, which the object journals as soon as no one holds the session.
 */
export type InboxKind = InboxMessageKind | WaitingKind | 'note';

/** Names the wait that a message answers. By `bodyHash` the same answer is known when its sender sends it again. */
export interface WaitAnswer {
  readonly wait: string;
  readonly bodyHash: string;
}

/** What somebody leaves for the holder of a session, or for its journal. `answers` is there when it answers a wait. */
export interface PostedMessage {
  readonly kind: InboxMessageKind | 'note';
  readonly turn: string;
  readonly body: string;
  readonly answers?: WaitAnswer | undefined;
  /** Blobs that a late result names. */
  readonly blobs?: readonly KeptBlob[] | undefined;
}

/** What became of a message that was posted to the holder of a turn. */
export type Posted =
  | 'posted'
  /** No such turn is open, or it takes no message of this kind. */
  | 'no-such-turn'
  /** This very answer was taken before. */
  | 'known'
  /** Another answer was taken before. */
  | 'answered'
  /** Nobody had answered when its time was over. */
  | 'expired'
  /** The session takes nothing any more but a cancel. */
  | 'session-full';

/** A message for the holder. The body of a `steer` is that of the `turn-started` that it becomes if nobody takes it in. */
export interface InboxMessage {
  readonly id: number;
  readonly kind: InboxMessageKind | 'steer';
  readonly turn: string;
  readonly body: string;
}

/** The most turns that may wait in one session, for those before them or for their time, and the most bytes of their messages. */
export const MAX_WAITING = { turns: 100, bytes: 10_000_000 } as const;

/** How many turns wait in a session, for whatever they do, and what their messages weigh together, in bytes. */
export interface WaitingLoad {
  readonly turns: number;
  readonly bytes: number;
}
