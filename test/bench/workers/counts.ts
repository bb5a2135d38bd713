/** The billed platform usage of one object. */
export interface ObjectCounts {
  /** Rows written by its database, including index rows. */
  rowsWritten: number;
  rowsRead: number;
  /** The number of times that an alarm was set. Each is billed as a written row. */
  alarmsSet: number;
  /** Appends to the journal, which are also counted as requests. */
  appends: number;
  /** Method calls, opened WebSockets, and alarms. */
  requests: number;
  /** Messages on these WebSockets that woke the object. 20 messages are billed as one request. */
  messages: number;
  /**
   * The time during which calls of a Worker were in progress, in real ms. Parallel calls count once, and open
   * WebSockets do not count.
   */
  awakeMs: number;
}

/** The counts: the usage of each object by name, and the number of uses of each platform API. */
export interface Counts {
  readonly objects: Readonly<Record<string, Readonly<ObjectCounts>>>;
  readonly made: Readonly<Record<string, number>>;
}
