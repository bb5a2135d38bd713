import type { NewRow, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { InboxKind, WaitingKind } from '../src/journal/inbox-message.ts';
import type { LeaseGrant } from '../src/journal/session-port.ts';
import type { Snapshot } from '../src/journal/snapshot.ts';
import type { BlobStorage } from './blob-storage.ts';

/**
 * The storage of the ledger: rows, without rules about them. All calls are synchronous, so that each method
 * of the ledger runs in one turn of the event loop. Before the first `transaction`, there is no session.
 * Reads do not write.
 */
export interface SessionStorage {
  /**
   * The session's name, which leases contain.
   *
   * @throws Error if the object was never reached by its name.
   */
  readonly name: string;
  readonly inbox: InboxStorage;
  readonly requests: RequestStorage;
  readonly alarms: AlarmStorage;
  readonly blobs: BlobStorage;
  readonly credentials: CredentialStorage;
  readonly snapshots: SnapshotStorage;
  /** Runs `change` and returns its result. Its writes are atomic: if it throws, they are rolled back. */
  transaction<T>(change: () => T): T;

  /** Returns the size of all stored data, in bytes. */
  bytes(): number;
  /** Returns the last sequence number, or 0 if no event is stored and so no session exists. */
  head(): number;
  /** Returns the body of the first event, or `null` if no event is stored. */
  opening(): string | null;
  /** Appends events after the last one. */
  addEvents(rows: readonly NewRow[], by: AppendStamp): void;
  /**
   * Returns events ordered by sequence number. Each is read when the iterator reaches it. If the query has a
   * turn, no other turn's events are read.
   */
  events(scan: EventQuery): Iterable<StoredRow>;
  /**
   * Returns the first of the requested bodies in order, `maxBytes` in total or less. Can store data that makes
   * the next reply cheaper.
   */
  bodies(query: BodyQuery): BodyTexts;
  /**
   * Returns when the last event was stored, in ms since the epoch, if the lease of this epoch stored it.
   * Otherwise returns `null`.
   */
  lastAppend(epoch: number): number | null;
  /** Returns the sequence number of the turn's `turn-started`, or `null`. */
  turnStart(turn: string): number | null;

  /** Returns the current lease, or `NO_LEASE` if none was set. */
  lease(): Lease;
  setLease(lease: Lease): void;

  /**
   * Removes everything except these rows, including the alarm, so that there is no session. Without rows, no
   * data is left. Must not be called in a transaction.
   */
  erase(rows: readonly Alarm[]): void;
}

/** Messages for the lease holder of a session, and messages that wait to become turns. */
export interface InboxStorage {
  /**
   * Returns all messages in the order in which they were posted. The array stays the same until one is added
   * or removed. Bodies are left out, since together they can exceed an object's memory. Ids are never reused.
   */
  messages(): readonly StoredMessage[];
  /** Returns the body of a stored message. */
  body(id: number): string;
  /** Removes a stored message, and returns its body. */
  take(id: number): string;
  /** Adds a message after all others. */
  add(kind: InboxKind, turn: string, body: string): void;
  /** Removes messages. Ignores unknown ids. */
  remove(ids: readonly number[]): void;
  /** Turns each message that steers the open turn into a queued turn, at the same position in the queue. */
  queueSteered(): void;
}

/** Accepted requests and answers, by their keys. */
export interface RequestStorage {
  /** Returns the request under a key, including an expired one that is not yet removed. */
  find(key: string): StoredRequest | null;
  /** Stores a request under an unused key. */
  add(request: StoredRequest): void;
  /** Removes the requests that expired at `now` or before, in ms since the epoch. */
  forget(now: number): void;
  /** Sets an expiry, in ms since the epoch, on requests without one whose `seq` is below `before`. */
  expire(before: number, expires: number): void;
}

/**
 * The due times of a session. They share the platform's one alarm, which the caller must set after a change.
 */
export interface AlarmStorage {
  /** Returns all alarms, earliest first. */
  all(): readonly Alarm[];
  /** Stores an alarm in place of the one with the same kind and ref. */
  add(alarm: Alarm): void;
  remove(kind: Alarm['kind'], ref: string): void;
  /** The last value set for the platform's alarm, or `undefined` if it is not in memory. */
  readonly at: number | null | undefined;
  /** Sets the platform's alarm, in ms since the epoch. `null` deletes it. */
  set(due: number | null): void;
}

/** The credentials that a session keeps for its holders. They are few, so they are stored together. */
export interface CredentialStorage {
  /** Returns all credentials, the most recently stored last. */
  all(): readonly StoredCredential[];
  /** Replaces all credentials. */
  set(credentials: readonly StoredCredential[]): void;
}

/** A credential with its key. Its value is `null` if it is lost. */
export interface StoredCredential {
  readonly key: string;
  readonly value: string | null;
}

/** A message that waits to become a turn, unless another turn includes it first. */
export interface WaitingMessage extends StoredMessage {
  readonly kind: WaitingKind;
}

export const isWaiting = (message: StoredMessage): message is WaitingMessage =>
  message.kind === 'message' || message.kind === 'steer' || message.kind === 'scheduled';

/** The snapshot of a session. There is at most one. */
export interface SnapshotStorage {
  /** Returns the snapshot if this reducer made it, and otherwise `null`. */
  find(reducer: number): Snapshot | null;
  /** Stores a snapshot in place of the previous one. */
  set(snapshot: Snapshot): void;
}

/** A message of the inbox, without its body. */
export interface StoredMessage {
  readonly id: number;
  /** The size of the body in UTF-8. */
  readonly bytes: number;
  readonly kind: InboxKind;
  /** The turn that it is for, or the id of the turn that it becomes if no other turn includes it. */
  readonly turn: string;
}

/** A row of the journal, with values known only to the storage. */
export interface StoredRow extends Row {
  /** The epoch of the lease that stored it, or `NO_EPOCH`. */
  readonly epoch: number;
  /** The size of the body in UTF-8. */
  readonly bytes: number;
}

/** The shared text encoder. It has no state. */
export const ENCODER = new TextEncoder();

/** Returns the size of a text in UTF-8, in bytes. */
export const countBytes = (text: string): number => ENCODER.encode(text).length;

/** The epoch of the lease that stores events, and their time, in ms since the Unix epoch. */
export type AppendStamp = Pick<StoredRow, 'epoch' | 'at'>;

/** The epoch of events that no lease stores: the session's first event, and the starts of turns. */
export const NO_EPOCH = 0;

/** A request for the bodies of events of some types, up to a sequence number and a size. */
export interface BodyQuery {
  readonly names: readonly string[];
  readonly until: number;
  readonly maxBytes: number;
  /** The first sequence number. */
  readonly from: number;
  /** The last event of the previous reply, if there was one. The reply continues after it. */
  readonly after?: number | undefined;
}

/** The requested bodies up to the event `until`, as texts of JSON arrays. */
export interface BodyTexts {
  readonly texts: readonly string[];
  readonly until: number;
}

/** A request for one page of rows. */
export type EventQuery = Pick<ReadQuery, 'from' | 'turn' | 'types'> & { readonly limit: number };

/** The lease of a session: who can append, and to which turn. Stored as one row per session. */
export interface Lease {
  /** Increases by one with each lease of this session. 0 before the first. */
  readonly epoch: number;
  readonly nonce: string;
  /** The unfinished turn. */
  readonly turn: string | null;
  readonly state: 'free' | 'held' | 'suspended';
  readonly cause: LeaseGrant['cause'];
  /** The number of leases in a row that expired without progress. */
  readonly expired: number;
  /** How long the previous lease had been over, in ms. 0 unless the cause is `expired`. */
  readonly expiredFor: number;
  /**
   * When the holder last made contact without appending an event, in ms since the epoch. Events have their
   * own times.
   */
  readonly heard: number;
  /** The last sequence number at that time. Later events of the holder supersede that time. */
  readonly heardSeq: number;
  /** When it was granted, in ms since the epoch. */
  readonly taken: number;
  /** The number of leases in a row that ended soon after they were granted, at the same event. */
  readonly strikes: number;
  /** The type of that event. Empty if there are no such leases. */
  readonly stoppedAt: string;
  /** The number of consecutive releases by holders that could not read the session. */
  readonly unread: number;
  /**
   * When to check whether the open turn needs a holder, in ms since the epoch. Postponed while its holder is
   * active. `null` if it needs no holder.
   */
  readonly due: number | null;
  /**
   * The number of the holder's line. Its pings are not stored. Negative after the object has seen that line
   * close, and 0 before the first line.
   */
  readonly line: number;
}

/** The lease of a session that was never held. */
export const NO_LEASE: Lease = {
  epoch: 0,
  nonce: '',
  turn: null,
  state: 'free',
  cause: 'started',
  expired: 0,
  expiredFor: 0,
  heard: 0,
  heardSeq: 0,
  taken: 0,
  strikes: 0,
  stoppedAt: '',
  unread: 0,
  due: null,
  line: 0,
};

/**
 * An accepted request: the start of a turn, the answer of a wait, or a message steered into `turn`.
 * `bodyHash` identifies a repeat.
 */
export interface StoredRequest {
  readonly key: string;
  readonly bodyHash: string;
  readonly turn: string;
  /**
   * The sequence number of the turn's start, or of the last event if another turn included the message. 0 for
   * an answer, or if the turn had not started.
   */
  readonly seq: number;
  /** In ms since the epoch. */
  readonly expires: number;
}

/**
 * The last time that JavaScript can represent, in ms since the epoch. Used for requests that stay until a
 * compaction, and for agenda rows that are not due.
 */
export const NEVER = 8_640_000_000_000_000;

/** A due time of the session's alarm. The due time of the open turn is in the lease instead. */
export interface Alarm {
  /** In ms since the epoch. */
  readonly due: number;
  /**
   * `expiry`: the wait of this id expires. `start`: a scheduled turn starts. `retention`: the session is
   * erased after `ref` milliseconds without activity. `due`: rows of one module and key are offered to a
   * Worker. `blob-retention`: blobs expire `ref` milliseconds after they last arrived.
   */
  readonly kind: 'expiry' | 'start' | 'retention' | 'due' | 'blob-retention';
  /** The id of the wait or of the turn, the milliseconds, or the rows of a module. */
  readonly ref: string;
}

/** The watchers of a session, as its ledger uses them. */
export interface LedgerWatchers {
  /**
   * Called after the state that watchers see has changed, before the call that changed it returns. Must not
   * throw.
   */
  notify(): void;
  /** Returns whether there are watchers other than the holder. */
  hasReaders(): boolean;
  /** Returns whether any watcher receives live items. */
  hasLiveReaders(): boolean;
  /**
   * Returns the time of the holder's last ping over the line of this number, in ms since the epoch. Returns
   * `null` before the first ping, and `undefined` if that line is not open.
   */
  pinged(line: number): number | null | undefined;
  /**
   * Closes the lines of all holders so far. Their pings are no longer answered when this returns. Must not
   * throw.
   */
  fence(): void;
}

/** The inputs of a session's rules: the stored data, the holder's times and the clock. */
export interface LedgerScope {
  readonly storage: SessionStorage;
  readonly clock: LeaseTimes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent if the session has no watchers. */
  readonly watchers?: LedgerWatchers | undefined;
}

/** How long the holder of a session can be silent. */
export interface LeaseTimes {
  /** The term of a lease, in ms. */
  readonly ms: number;
  /** When the term ends if the holder stays silent, in ms since the epoch. */
  readonly deadline: number;
  /**
   * When to check whether the term has ended if the holder has a line, in ms since the epoch. Normally, the
   * close of the line reports this sooner.
   */
  readonly nextLook: number;
  /**
   * The time from the grant of the lease to the holder's last contact, in ms. Negative if the clock was set
   * back meanwhile.
   */
  readonly lived: number;
  /** `true` if the session has a holder that was heard from within the term. */
  readonly isLive: boolean;
}

/**
 * Returns the incarnation in the body of a session's first event, which distinguishes the session from an
 * erased one of the same name. Events stored by other code can lack it.
 */
export function parseIncarnation(opening: string | null): string | undefined {
  try {
    const { incarnation }: { incarnation?: unknown } = Object(JSON.parse(opening ?? 'null'));
    return typeof incarnation === 'string' ? incarnation : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the incarnation of the session, or of the one that `opening` would open, or an empty string. */
export const getIncarnation = (storage: SessionStorage, opening?: NewRow): string =>
  parseIncarnation(storage.opening() ?? opening?.body ?? null) ?? '';
