import type { NewRow, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { InboxKind, WaitingKind } from '../src/journal/inbox-message.ts';
import type { Leased } from '../src/journal/session-port.ts';
import type { Snapshot } from '../src/journal/snapshot.ts';
import type { BlobStorage } from './blob-storage.ts';

/**
 * What the ledger needs kept: rows, and no rule about them. Every call answers at once, so that one method of the
 * ledger is one turn of the event loop. Before the first `transaction` there is no session, and reading writes nothing.
 */
export interface SessionStorage {
  /** The session's name, which leases carry. @throws Error when nobody has ever reached the object by it. */
  readonly name: string;
  readonly inbox: InboxStorage;
  readonly requests: RequestStorage;
  readonly alarms: AlarmStorage;
  readonly blobs: BlobStorage;
  readonly credentials: CredentialStorage;
  readonly snapshots: SnapshotStorage;
  /**
   * Runs `change`, and answers what it does. All that it stores is kept, or nothing if it throws.
   */
  transaction<T>(change: () => T): T;

  /** Answers what all that is stored weighs, in bytes. */
  bytes(): number;
  /** Returns the last sequence, or 0 if no event is stored: then there is no session. */
  head(): number;
  /** Answers the body of the first event; `null` when nothing is stored. */
  opening(): string | null;
  /** Stores events behind the last one. */
  addEvents(rows: readonly NewRow[], by: StoredBy): void;
  /** Answers events in the order of their sequences, each of which is read only when it is taken; of a turn, no other is read. */
  events(scan: Scan): Iterable<StoredRow>;
  /**
   * Answers the first of the bodies that are asked for, in order, as many as weigh no more than `maxBytes` or fewer. It may store
   * what makes the next answer cheaper.
   */
  bodies(query: BodyQuery): Bodies;
  /** Answers when the last event was stored, in ms since the epoch, if the lease of this epoch stored it; else `null`. */
  lastAppend(epoch: number): number | null;
  /** Answers the sequence of the turn's `turn-started`; `null` when none is stored. */
  turnStart(turn: string): number | null;

  /** Answers the lease that was set last; `NO_LEASE` before the first. */
  lease(): Lease;
  setLease(lease: Lease): void;

  /**
   * Removes everything but these rows, the alarm too, so that there is no session any more. Nothing is left without rows. Must not be
   * called in a transaction.
   */
  erase(rows: readonly Alarm[]): void;
}

/** Messages for the holder of a session, and messages that wait for turns of their own. */
export interface InboxStorage {
  /**
   * Returns all messages in the order in which they were posted: the same list, until one is added or removed. Their bodies are left out,
   * since all of them together may be more than an object can keep in memory. An id is never used twice.
   */
  messages(): readonly StoredMessage[];
  /** Answers the body of a message that is stored. */
  body(id: number): string;
  /** Removes a message that is stored, and answers its body. */
  take(id: number): string;
  /** Stores a message behind all others. */
  add(kind: InboxKind, turn: string, body: string): void;
  /** Removes messages. Ids of which none is stored are passed over. */
  remove(ids: readonly number[]): void;
  /** Makes each message for the model of the open turn one that waits for a turn of its own, in its place in the line. */
  queueSteered(): void;
}

/** The requests and answers that were taken before, by their keys. */
export interface RequestStorage {
  /** Answers what was taken under a key, also if it has expired and was not forgotten yet. */
  find(key: string): StoredRequest | null;
  /** Stores a request under a key that is free. */
  add(request: StoredRequest): void;
  /** Removes the requests that expired at `now` or before; in ms since the epoch. */
  forget(now: number): void;
  /** Lets those expire at `expires`, in ms since the epoch, that never would, and whose `seq` is below `before`. */
  expire(before: number, expires: number): void;
}

/** What is due in a session, and when. The platform has one alarm for all of it, which is set by whoever changes this. */
export interface AlarmStorage {
  /** Answers all alarms, the earliest first. */
  all(): readonly Alarm[];
  /** Stores an alarm in place of the one of the same kind and ref. */
  add(alarm: Alarm): void;
  remove(kind: Alarm['kind'], ref: string): void;
  /** What the platform's alarm was last set to; `undefined` if that is not remembered. */
  readonly at: number | null | undefined;
  /** Sets the platform's alarm, in ms since the epoch; `null` deletes it. */
  set(due: number | null): void;
}

/** What a session keeps beside its journal for its holders. There is little of it, and it is stored as a whole. */
export interface CredentialStorage {
  /** Answers all of them, the one that was kept last at the end. */
  all(): readonly StoredCredential[];
  /** Stores these in place of all others. */
  set(credentials: readonly StoredCredential[]): void;
}

/** A credential under its key; its value is `null` once it is lost. */
export interface StoredCredential {
  readonly key: string;
  readonly value: string | null;
}

/** A message that waits for a turn of its own, unless another one takes it in. */
export interface WaitingMessage extends StoredMessage {
  readonly kind: WaitingKind;
}

export const isWaiting = (message: StoredMessage): message is WaitingMessage =>
  message.kind === 'message' || message.kind === 'steer' || message.kind === 'scheduled';

/** The snapshot of a session. There is one at the most. */
export interface SnapshotStorage {
  /** Returns the snapshot if this reducer has made it, or `null`. */
  find(reducer: number): Snapshot | null;
  /** Stores a snapshot in place of the one before it. */
  set(snapshot: Snapshot): void;
}

/** A message of the inbox, without its body. */
export interface StoredMessage {
  readonly id: number;
  /** Of the body, in UTF-8. */
  readonly bytes: number;
  readonly kind: InboxKind;
  /** The turn that it is for, or the id of the turn that it becomes, unless another one takes it in. */
  readonly turn: string;
}

/** A row of the journal with what only the storage keeps of it. */
export interface StoredRow extends Row {
  /** The lease that stored it, or `NO_EPOCH`. */
  readonly epoch: number;
  /** Of the body, in UTF-8. */
  readonly bytes: number;
}

/** The encoder of all texts; it keeps nothing of any. */
export const ENCODER = new TextEncoder();

/** Answers how many bytes a text has in UTF-8. */
export const bytesIn = (text: string): number => ENCODER.encode(text).length;

/** Which lease stores events, and when, in ms since the epoch. */
export type StoredBy = Pick<StoredRow, 'epoch' | 'at'>;

/** The epoch of events that no lease stores: the session's first, and the starts of turns. */
export const NO_EPOCH = 0;

/** Asks for the bodies of events of some types, up to a sequence and within a number of bytes. */
export interface BodyQuery {
  readonly names: readonly string[];
  readonly until: number;
  readonly maxBytes: number;
  /** The first sequence. */
  readonly from: number;
  /** The event up to which they were answered before, where they were; what follows it is answered. */
  readonly after?: number | undefined;
}

/** Bodies as texts of JSON arrays: all that were asked for up to the event `until`. */
export interface Bodies {
  readonly texts: readonly string[];
  readonly until: number;
}

/** Asks for one page of rows. */
export type Scan = Pick<ReadQuery, 'from' | 'turn' | 'types'> & { readonly limit: number };

/** Who may append, and to which turn. A session has one row of it. */
export interface Lease {
  /** One more with each lease of this session; 0 before the first. */
  readonly epoch: number;
  readonly nonce: string;
  /** The turn that is unfinished. */
  readonly turn: string | null;
  readonly state: 'free' | 'held' | 'suspended';
  readonly cause: Leased['cause'];
  /** Leases in a row that expired without progress. */
  readonly expired: number;
  /** How long the lease before it had been over, in ms; 0 unless the cause is `expired`. */
  readonly expiredFor: number;
  /** When the holder was last heard without appending an event, in ms since the epoch: the events have their own times. */
  readonly heard: number;
  /** The last sequence at that time. An event that the holder appended after it tells a later time. */
  readonly heardSeq: number;
  /** When it was given, in ms since the epoch. */
  readonly taken: number;
  /** Leases in a row that ended soon after they were given, and at the same event. */
  readonly strikes: number;
  /** The type of that event; empty when there are no such leases. */
  readonly stoppedAt: string;
  /** How often in a row the session was given back by holders that could not read it. */
  readonly unread: number;
  /** When to check whether the open turn needs a holder, in ms since the epoch; later while its holder is heard. `null` if it needs none. */
  readonly due: number | null;
  /**
   * The number of the holder's line, over which it is heard without anything being stored; negative when the object has seen that line
   * close, and 0 before the first one.
   */
  readonly line: number;
}

/** The lease of a session that nobody has ever held. */
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
 * What was taken under a key: the start of a turn, the answer of a wait, or a message that went into `turn`. The same again is
 * known by `bodyHash`.
 */
export interface StoredRequest {
  readonly key: string;
  readonly bodyHash: string;
  readonly turn: string;
  /**
   * Of the turn's start, or the last event when another turn took the message in; 0 of a turn that had not started then, and of an
   * answer.
   */
  readonly seq: number;
  /** In ms since the epoch. */
  readonly expires: number;
}

/** When a request expires that is known until something is compacted, and a row of the agenda is due of which nothing is, in ms since the epoch: the last time that JavaScript has. */
export const NEVER = 8_640_000_000_000_000;

/** One thing that a session's alarm is set for. The open turn is another: its time is in the lease. */
export interface Alarm {
  /** In ms since the epoch. */
  readonly due: number;
  /**
   * `expiry`: nobody has answered the wait of this id. `start`: the turn was scheduled for then.
   * `retention`: the session is to be erased if nothing has happened in it for `ref` milliseconds. `due`: rows of one
   * module and key are to be offered to a Worker. `blob-retention`: a blob has been kept for `ref` milliseconds.
   */
  readonly kind: 'expiry' | 'start' | 'retention' | 'due' | 'blob-retention';
  /** The id of the wait or of the turn, the milliseconds, or the rows of a module. */
  readonly ref: string;
}

/** Those who watch a session, as its ledger has them. */
export interface LedgerWatchers {
  /** Called when the state that watchers see has changed, before the call that changed it returns. Must not throw. */
  tell(): void;
  /** Whether anybody watches who does not hold the session. */
  hasReaders(): boolean;
  /** Whether anybody of them is shown what is not journaled. */
  hasLiveReaders(): boolean;
  /**
   * Returns when the holder last pinged over the line of this number, in ms since the epoch; `null` if it has not yet, and `undefined` if
   * that line is not open.
   */
  pinged(line: number): number | null | undefined;
  /** Closes the lines of all who held the session until now. Their pings are not answered any more when this returns. Must not throw. */
  fence(): void;
}

/** What every rule of a session is decided from: what is stored, whether the holder is heard, and what time it is. */
export interface LedgerScope {
  readonly storage: SessionStorage;
  readonly clock: LeaseTimes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absent: the session has none. */
  readonly watchers?: LedgerWatchers | undefined;
}

/** How long the holder of a session may be silent. */
export interface LeaseTimes {
  /** The term of a lease, in ms. */
  readonly ms: number;
  /** When the term ends unless the holder is heard, in ms since the epoch. */
  readonly deadline: number;
  /** When to look whether it has ended if the holder has a line, whose close is to report that sooner. In ms since the epoch. */
  readonly nextLook: number;
  /** How long after it was given the lease the holder was last heard, in ms. Negative if the clock was set back meanwhile. */
  readonly lived: number;
  /** Somebody holds the session, and was heard within the term. */
  readonly isLive: boolean;
}

/**
 * Returns the incarnation of a session, which distinguishes it from an erased one of the same name, by the body of the event that opens
 * it. An event that somebody else stored may have none.
 */
export function incarnationOf(opening: string | null): string | undefined {
  try {
    const { incarnation }: { incarnation?: unknown } = Object(JSON.parse(opening ?? 'null'));
    return typeof incarnation === 'string' ? incarnation : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the incarnation of the session, of the one that `opening` would open, or the empty text. */
export const incarnationIn = (storage: SessionStorage, opening?: NewRow): string =>
  incarnationOf(storage.opening() ?? opening?.body ?? null) ?? '';
