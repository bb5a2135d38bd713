import type { NewRow, ReadQuery, Row } from '../src/journal/event-page.ts';
import type { InboxKind, InboxMessage, Leased, WaitingKind } from '../src/journal/session-port.ts';
import type { Snapshot } from '../src/journal/snapshot.ts';

/**
 * What the ledger needs kept: rows, and no rule about them. Every call answers at once, so that one method of the
 * ledger is one turn of the event loop. Before the first `transaction` there is no session, and reading writes nothing.
 */
export interface SessionStorage {
  /** The session's name, as leases carry it. */
  readonly name: string;
  readonly inbox: InboxStorage;
  readonly requests: RequestStorage;
  readonly alarms: AlarmStorage;
  /** Whether a session is kept here. */
  exists(): boolean;
  /** Keeps everything that `change` stores, or nothing if it throws. Makes the session's place when there is none. */
  transaction<T>(change: () => T): T;

  /** The last sequence; 0 when nothing is stored. */
  head(): number;
  addEvents(rows: readonly StoredRow[]): void;
  /** In order of their sequence, read as they are taken. */
  events(scan: Scan): Iterable<StoredRow>;
  /**
   * The bodies of some types up to a sequence, in order, as texts of JSON arrays; `null` when they weigh more than
   * `maxBytes`, or one of them is too long to be read with others.
   */
  bodies(query: BodyQuery): readonly string[] | null;
  /** The sequence of the turn's `turn-started`. */
  turnStart(turn: string): number | null;

  lease(): Lease;
  setLease(lease: Lease): void;

  snapshot(reducer: number): Snapshot | null;
  /** Replaces the one before it. */
  setSnapshot(snapshot: Snapshot): void;

  /** Removes everything, the alarm too; there is no session then. Not to be called in a transaction. */
  erase(): void;
}

/** Messages for the holder of a session, and messages that wait for turns of their own. */
export interface InboxStorage {
  /**
   * The unread messages for the holder of this turn, in the order they were posted, without their bodies: all of them together
   * may be more than an object can keep in memory. An id is never used twice.
   */
  unread(turn: string): UnreadMessage[];
  /** The messages that wait, in the order they were posted, without their bodies. */
  waiting(): WaitingMessage[];
  body(id: number): string;
  /** Removes a message, and answers its body. */
  take(id: number): string;
  add(kind: InboxKind, turn: string, body: string): void;
  remove(ids: readonly number[]): void;
  /** The messages that were left for the holder of a turn wait for turns of their own, each in its place in the line. */
  queueSteered(): void;
}

/** What was asked for before, by its key. */
export interface RequestStorage {
  find(key: string): StoredRequest | null;
  add(request: StoredRequest): void;
  /** Forgets the requests that expired at `now` or before. */
  forget(now: number): void;
}

/** What is to be done when; the platform knows one alarm only. */
export interface AlarmStorage {
  /** The earliest first. */
  all(): Alarm[];
  /** Replaces the one of the same kind and ref. */
  add(alarm: Alarm): void;
  remove(kind: Alarm['kind'], ref: string): void;
  /** Sets the platform's alarm, or deletes it. */
  set(due: number | null): void;
}

/** A message for a holder; see `InboxMessage`. */
export type UnreadMessage = Omit<InboxMessage, 'body'>;

/** A message that waits. `turn` is that which it will be, or would. */
export interface WaitingMessage {
  readonly id: number;
  readonly kind: WaitingKind;
  readonly turn: string;
}

/** A row of the journal with what only the storage keeps of it. */
export interface StoredRow extends Row {
  /** The lease that stored it; 0 for the start of a turn, which is stored by none. */
  readonly epoch: number;
  /** Of the body, in UTF-8. */
  readonly bytes: number;
}

/** Rows as they are kept: at `from`, `from + 1`, ... */
export function toStoredRows(
  rows: readonly NewRow[],
  { epoch, from, at }: { readonly epoch: number; readonly from: number; readonly at: number },
): StoredRow[] {
  return rows.map(({ type, turn, body }, i) => {
    const bytes = new TextEncoder().encode(body).length;
    return { seq: from + i, epoch, at, type, turn, body, bytes };
  });
}

/** Stores an event that no lease stores: the session's first, or the start of a turn. */
export function addStart({ storage, now }: Pick<LedgerScope, 'storage' | 'now'>, row: NewRow): void {
  storage.addEvents(toStoredRows([row], { epoch: 0, from: storage.head() + 1, at: now() }));
}

/** Asks for the bodies of events of some types, up to a sequence and within a number of bytes. */
export interface BodyQuery {
  readonly names: readonly string[];
  readonly until: number;
  readonly maxBytes: number;
  /** The first sequence wanted. */
  readonly from: number;
}

/** Asks for one page of rows. */
export type Scan = Pick<ReadQuery, 'from' | 'turn' | 'types'> & { readonly limit: number };

/** One row: who may append, and to which turn. */
export interface Lease {
  /** Counts the leases of this session; 0 before the first. */
  readonly epoch: number;
  readonly nonce: string;
  /** The turn that is unfinished. */
  readonly turn: string | null;
  readonly state: 'free' | 'held' | 'suspended';
  readonly cause: Leased['cause'];
  /** Leases in a row that expired without progress. */
  readonly expired: number;
  readonly expiredFor: number;
  /**
   * The deadline as the last alarm saw it, until the holder is heard again. Without it, an object that is evicted
   * between alarms would grant a dead holder a new term at each of them.
   */
  readonly grace: number | null;
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
  grace: null,
};

/** A start as it was accepted under its idempotency key: the same again gets the same turn. */
export interface StoredRequest {
  readonly key: string;
  readonly bodyHash: string;
  readonly turn: string;
  readonly seq: number;
  readonly expires: number;
}

/** One thing that a session's alarm is set for. */
export interface Alarm {
  readonly due: number;
  /**
   * `turn`: needs a holder. `expiry`: nobody has answered the wait of this id. `start`: the turn was scheduled for then.
   * `retention`: the session is to be erased if nothing has happened in it for `ref` milliseconds.
   */
  readonly kind: 'turn' | 'expiry' | 'start' | 'retention';
  readonly ref: string;
}

/** What every rule of a session is decided from: what is stored, whether the holder is heard, and what time it is. */
export interface LedgerScope {
  readonly storage: SessionStorage;
  readonly clock: LeaseTimes;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Until when the holder of a session need not be heard. */
export interface LeaseTimes {
  /** How long a lease is given for. */
  readonly ms: number;
  /** In ms since the epoch. */
  readonly deadline: number;
  /** Somebody holds the session, and was heard within the term. */
  readonly isLive: boolean;
}
