/** A use of a module, as a session remembers it. */
export interface AgendaOwner {
  readonly module: string;
  /** Of the use of the module. */
  readonly key: string;
}

/**
 * Work that a module does once the append is stored: in a Worker, at least once, until it says that it is done. Rows of one module and
 * key are offered in the order in which they were stored, one after another.
 */
export interface AgendaRow extends AgendaOwner {
  /** Of the module's choice: it names the work. A row that is on the agenda already, and was not offered yet, is not added again. */
  readonly ref: string;
  /** Milliseconds until it is offered, if no other row of its module and key is there. Defaults to 0. */
  readonly after?: number | undefined;
}

/** A row of a session's agenda that is offered to the module that wrote it. */
export interface DueRow extends Omit<AgendaRow, 'after'> {
  /** The name of the session. */
  readonly name: string;
  /** Which attempt this is, from 1 on. An attempt that no one answered counts. */
  readonly attempt: number;
  /** The row is not one that the module wrote: the session has no more use for what the module keeps of it outside. */
  readonly stale?: StaleCopies | undefined;
}

/** Copies of a session's blobs in a store outside for which it has no more use. */
export interface StaleCopies {
  /** Of the session that put them there. */
  readonly incarnation: string;
  /** Each with the version under which it was put there. Absent: all of this incarnation, which was erased. */
  readonly copies?: readonly { readonly id: string; readonly version: number }[] | undefined;
}

/** The outcome of an offered row. */
export type DueOutcome =
  /** The row is removed, and the next one of its module and key is due. */
  | 'done'
  /** The row is removed, and so are all others of its module and key. */
  | 'forget'
  /** The row is offered again after so many ms. */
  | { readonly again: number }
  /** The Worker has no such module, or none with this key. The row stays, and the attempt does not count. */
  | 'unknown';

/** The turn that a runner is asked to go on with, and the session's name that leads to it. */
export interface HandOver {
  readonly name: string;
  readonly turn: string;
}

/** What an object hands its open turns to, and what only the app can do. */
export interface TurnRunner {
  /** Goes on with the turn as far as one invocation may, and resolves then. */
  run(handOver: HandOver): Promise<void>;
  /**
   * Does the work of a row of the agenda. The next row of its module and key is offered after this one is settled.
   *
   * @throws Error if that cannot be told now. The row is offered again then.
   */
  due(row: DueRow): Promise<DueOutcome>;
}
