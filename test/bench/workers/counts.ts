/** What the platform did for one object: what is billed. */
export interface ObjectCounts {
  /** Rows that its database wrote, with those of indexes. */
  rowsWritten: number;
  rowsRead: number;
  /** Alarms that it set; each is billed as a row written. */
  alarmsSet: number;
  /** Appends to the journal, which are requests. */
  appends: number;
  /** Calls of its methods, WebSockets that were opened, and alarms. */
  requests: number;
  /** Messages over these WebSockets that it was woken for; 20 are billed as a request. */
  messages: number;
  /** How long calls of a Worker were under way, in ms of the machine: those at once count once, and an open WebSocket does not. */
  awakeMs: number;
}

/** What was counted: for each object, by its name, and how often each API of the platform was used. */
export interface Counts {
  readonly objects: Readonly<Record<string, Readonly<ObjectCounts>>>;
  readonly made: Readonly<Record<string, number>>;
}
