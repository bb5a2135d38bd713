/**
 * Work that a module does once the append is stored: in a Worker, at least once, until it says that it is done. Rows of one module and
 * key are offered in the order in which they were stored, one after another.
 */
export interface AgendaRow {
  readonly module: string;
  /** Of the use of the module. */
  readonly key: string;
  /** Of the module's choice: it names the work. A row that is on the agenda already is not added again. */
  readonly ref: string;
}

/** A row of a session's agenda that is offered to the module that wrote it. */
export interface DueRow extends AgendaRow {
  /** The name of the session. */
  readonly name: string;
  /** Which attempt this is, from 1 on. An attempt that no one answered counts. */
  readonly attempt: number;
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
