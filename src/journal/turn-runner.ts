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

/** What an object hands its open turns to, and what only the app can do. */
export interface TurnRunner {
  /** Goes on with the turn as far as one invocation may, and resolves then. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Deletes the files of the session of this name that are kept outside, and resolves when they are gone. May be asked again.
   *
   * @throws Error when they cannot be deleted now. The session is kept then, and this is asked again.
   */
  deleteFiles(session: string): Promise<void>;
  /** Tells a webhook that a turn has stopped. It is told of what came later in the session when this is done. */
  announce(announcement: Announcement): Promise<Announced>;
}
