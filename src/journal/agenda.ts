/** A use of a module, as a session stores it. */
export interface AgendaOwner {
  readonly module: string;
  /** The key of the use. */
  readonly key: string;
}

/**
 * Work that a module does once the append is stored. It runs in a Worker, at least once, until the module
 * reports that it is done. Rows of one module and key are offered one after another, in the order in which
 * they were stored.
 */
export interface AgendaRow extends AgendaOwner {
  /**
   * A name for the work, chosen by the module. A row is not added if the agenda has one with the same `ref`
   * that was not offered yet.
   */
  readonly ref: string;
  /** Milliseconds until the row is offered, if its module and key have no other row. Defaults to 0. */
  readonly after?: number | undefined;
}

/** A row of a session's agenda, offered to the module that wrote it. */
export interface DueRow extends Omit<AgendaRow, 'after'> {
  /** The name of the session. */
  readonly name: string;
  /** The number of this attempt, starting at 1. An attempt without a reply counts. */
  readonly attempt: number;
  /**
   * Set if the module did not write this row: these copies, which the module stores outside, are no longer
   * needed.
   */
  readonly stale?: StaleCopies | undefined;
}

/** Copies of a session's blobs in an outside store that the session no longer needs. */
export interface StaleCopies {
  /** The incarnation of the session that stored them. */
  readonly incarnation: string;
  /**
   * The copies, each with its version. If absent, all copies of this incarnation are stale, since it was
   * erased.
   */
  readonly copies?: readonly { readonly id: string; readonly version: number }[] | undefined;
}

/** The outcome of an offered row. */
export type DueOutcome =
  /** Removes the row. The next row of its module and key is due. */
  | 'done'
  /** Removes the row and all other rows of its module and key. */
  | 'forget'
  /** Offers the row again after this many ms. */
  | { readonly again: number }
  /**
   * The Worker has no such module, or no use of it with this key. The row remains, and the attempt does not
   * count.
   */
  | 'unknown';

/** The turn that a runner must resume, and the name of its session. */
export interface HandOver {
  readonly name: string;
  readonly turn: string;
}

/** The Worker functions that a session object calls. */
export interface TurnRunner {
  /** Resumes the turn, and resolves when this invocation can run it no further. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Does the work of an agenda row. The next row of its module and key is offered after this one settles.
   *
   * @throws Error if the outcome is not known now. The row is then offered again.
   */
  due(row: DueRow): Promise<DueOutcome>;
}
