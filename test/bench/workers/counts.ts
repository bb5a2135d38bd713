/** The billed platform usage of one object. */
export interface ObjectCounts {
  /** Rows written by its database, including index rows. */
  rowsWritten: number;
  rowsRead: number;
  /** Alarms set. Each is billed as a written row. */
  alarmsSet: number;
  /** Appends to the journal, which are requests. */
  appends: number;
  /** Method calls, opened WebSockets, and alarms. */
  requests: number;
  /** Messages over these WebSockets that it was woken for; 20 are billed as a request. */
  messages: number;
  /** How long calls of a Worker were under way, in ms of the machine: those at once count once, and an open WebSocket does not. */
  awakeMs: number;
}

/** The counts: the usage of each object by name, and the number of uses of each platform API. */
export interface Counts {
  readonly objects: Readonly<Record<string, Readonly<ObjectCounts>>>;
  readonly made: Readonly<Record<string, number>>;
}
