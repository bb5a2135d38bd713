/** The turn that a runner is asked to go on with, and the session's name that leads to it. */
export interface HandOver {
  readonly name: string;
  readonly turn: string;
}

/** A turn of the session has stopped, and the outgoing webhook of this name is to be told of it. */
export interface Announcement {
  /** The name of the session. */
  readonly name: string;
  readonly turn: string;
  /** The last event when it stopped: what came later is told of later. */
  readonly seq: number;
  readonly webhook: string;
  /** Which try this is, from 1 on. One counts that nobody has answered. */
  readonly attempt: number;
}

/** What became of an announcement. */
export type Announced =
  /** It was told, or is given up. */
  | 'done'
  /** It is given up, and so is all else that the session still has to tell this webhook. */
  | 'forget'
  /** It is to be tried again after so many ms. */
  | { readonly again: number };

/** Copies of files in a store outside for which a session has no more use. */
export interface StoreDeletion {
  /** The name of the session. */
  readonly name: string;
  /** Of the session that put them there. */
  readonly incarnation: string;
  /** The ids of the copies. Absent: all of this incarnation, which was erased. */
  readonly copies?: readonly string[] | undefined;
  /** Which try this is, from 1 on. */
  readonly attempt: number;
  /** After so many ms the next try follows, if this one fails. */
  readonly nextAfter: number;
}

/** What an object hands its open turns to, and what only the app can do. */
export interface TurnRunner {
  /** Goes on with the turn as far as one invocation may, and resolves then. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Deletes copies of files in the store outside, and resolves when they are gone. May be asked again.
   *
   * @throws Error if they cannot be deleted now. This is asked again then.
   */
  deleteFiles(deletion: StoreDeletion): Promise<void>;
  /** Tells a webhook that a turn has stopped. It is told of what came later in the session when this is done. */
  announce(announcement: Announcement): Promise<Announced>;
}
