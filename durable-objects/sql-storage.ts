import type { NewRow } from '../src/journal/event-page.ts';
import { DATA_TABLES, findSchema, migrate } from './journal-schema.ts';
import { MAX_INLINE_BYTES, packEvents, unpackEvents } from './packed-events.ts';
import {
  type Alarm,
  type AppendStamp,
  type BodyQuery,
  type BodyTexts,
  type CredentialStorage,
  type EventQuery,
  type Lease,
  NO_LEASE,
  type RequestStorage,
  type SessionStorage,
  type SnapshotStorage,
  type StoredCredential,
  type StoredRow,
} from './session-storage.ts';
import { SqlBlobs } from './sql-blobs.ts';
import { SqlMessages } from './sql-messages.ts';
import { createSqlRequests, SqlAlarms, SqlChunks, SqlDatabase, SqlInbox } from './sql-tables.ts';

/** seq, at, type, turn, epoch, bytes, lengths, body (unless it is in chunks), as in `PackedEvents`. */
type EventColumns = [number, number, string, string, number, number, string | null, string | null];
type LeaseColumns = { [K in keyof Lease]: Lease[K] };

/** The columns of the lease have the names of its fields. */
const LEASE_COLUMNS = Object.keys(NO_LEASE) as (keyof Lease)[]; // It has all fields.
const SET_LEASE = `INSERT OR REPLACE INTO lease (id, ${LEASE_COLUMNS}) VALUES (1${', ?'.repeat(LEASE_COLUMNS.length)})`;

/** A session in the object's own database. All writes of one turn of the event loop commit together. */
export class SqlSessionStorage implements SessionStorage {
  readonly inbox: SqlInbox;
  readonly requests: RequestStorage;
  readonly alarms: SqlAlarms;
  readonly blobs: SqlBlobs;
  readonly credentials: CredentialStorage;
  readonly snapshots: SnapshotStorage;
  readonly #database: SqlDatabase;
  readonly #name: string | undefined;
  readonly #chunks: SqlChunks;
  readonly #messages: SqlMessages;
  /** Values that every append reads, cached from the tables. Cleared if a transaction is rolled back. */
  #head: number | undefined;
  #opening: string | undefined;
  #lease: Lease | undefined;

  /** `name`: the object's name, if the platform provides it. */
  constructor(storage: DurableObjectStorage, name: string | undefined) {
    this.#database = new SqlDatabase(storage);
    this.#chunks = new SqlChunks(storage.sql);
    this.#messages = new SqlMessages(storage.sql, this.#chunks, (scan) => this.events(scan));
    this.inbox = new SqlInbox(this.#database, this.#chunks);
    this.requests = createSqlRequests(this.#database);
    this.alarms = new SqlAlarms(this.#database);
    this.blobs = new SqlBlobs(this.#database, this.#chunks);
    this.snapshots = this.#chunks;
    this.credentials = createCredentialStorage(storage);
    const schema = findSchema(storage.sql);
    this.#name = name ?? schema?.name;
    if (schema) this.#migrate();
  }

  /** @throws Error if the object was never reached by its name. */
  get name(): string {
    if (this.#name === undefined)
      throw new Error('Reach the object of a session by its name, not by its id.');
    return this.#name;
  }

  transaction<T>(change: () => T): T {
    const { storage, isMade } = this.#database;
    try {
      return storage.transactionSync(() => {
        if (!isMade) this.#migrate();
        return change();
      });
    } catch (error) {
      // The rollback also removed new tables.
      this.#database.isMade = isMade;
      this.#forget();
      throw error;
    }
  }

  bytes(): number {
    return this.#database.sql.databaseSize;
  }

  head(): number {
    this.#head ??= this.#database.rows<{ head: number }>('SELECT max(seq) AS head FROM events')[0]?.head ?? 0;
    return this.#head;
  }

  opening(): string | null {
    if (this.#opening === undefined && this.head() > 0)
      for (const { body } of this.events({ from: 1, limit: 1 })) this.#opening = body;
    return this.#opening ?? null;
  }

  addEvents(events: readonly NewRow[], { epoch, at }: AppendStamp): void {
    if (this.head() === 0) this.#opening = events[0]?.body;
    for (const { seq, type, turn, bytes, lengths, body } of packEvents(events, this.head())) {
      const isInline = bytes <= MAX_INLINE_BYTES;
      this.#database.sql.exec(
        'INSERT INTO events (seq, epoch, at, type, turn, bytes, lengths, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        ...[seq, epoch, at, type, turn, bytes, lengths, isInline ? body : null],
      );
      if (!isInline) this.#chunks.add('event', { seq, body });
      this.#head = seq;
    }
  }

  *events({ from, turn, types, limit }: EventQuery): Iterable<StoredRow> {
    const first = turn === undefined ? from : this.#firstOf(turn, from);
    if (first === null) return;
    // An event is in the row with the first `seq` that is not less than its own.
    const cursor = this.#database.sql.exec(
      'SELECT seq, at, type, turn, epoch, bytes, lengths, body FROM events WHERE seq >= ? ORDER BY seq',
      first,
    );
    let taken = 0;
    // Arrays cost half as much as objects, and every turn reads a long session row by row.
    for (const [last, at, type, turnOfRow, epoch, bytes, lengths, body] of cursor.raw<EventColumns>()) {
      if (turn !== undefined && turnOfRow !== turn) {
        if (type === 'turn-started') return;
        continue;
      }
      for (const event of unpackEvents({ seq: last, type, bytes, lengths, body: body ?? '' })) {
        const { seq } = event;
        if (seq < first || (types && seq <= types.until && !types.names.includes(event.type))) continue;
        yield {
          ...event,
          at,
          turn: turnOfRow,
          epoch,
          body: body === null ? this.#longBody(seq) : event.body,
        };
        taken += 1;
        if (taken === limit) return;
      }
    }
  }

  #longBody(seq: number): string {
    return this.#chunks.body('event', seq);
  }

  bodies(query: BodyQuery): BodyTexts {
    return this.#messages.bodies(query);
  }

  /**
   * Returns the first sequence number to read for a turn. Only one turn is open at a time, so its events are
   * contiguous. The event that opens a session belongs to no turn.
   */
  #firstOf(turn: string, from: number): number | null {
    if (turn === '') return from === 1 ? from : null;
    const start = this.turnStart(turn);
    return start === null ? null : Math.max(start, from);
  }

  lastAppend(epoch: number): number | null {
    const query = 'SELECT at FROM events WHERE seq = ? AND epoch = ?';
    return this.#database.rows<{ at: number }>(query, this.head(), epoch)[0]?.at ?? null;
  }

  turnStart(turn: string): number | null {
    const query = `SELECT seq FROM events WHERE turn = ? AND type = 'turn-started'`;
    return this.#database.rows<{ seq: number }>(query, turn)[0]?.seq ?? null;
  }

  lease(): Lease {
    this.#lease ??= this.#database.rows<LeaseColumns>(`SELECT ${LEASE_COLUMNS} FROM lease`)[0] ?? NO_LEASE;
    return this.#lease;
  }

  setLease(lease: Lease): void {
    this.#lease = lease;
    const values: Lease[keyof Lease][] = [];
    for (const column of LEASE_COLUMNS) values.push(lease[column]);
    this.#database.sql.exec(SET_LEASE, ...values);
  }

  /**
   * Not awaited, since the output gate waits for it. Before the compatibility date 2026-02-24, `deleteAll`
   * does not delete the alarm. Remaining rows commit together with the removal of all others, so that they
   * cannot be lost in between.
   */
  erase(rows: readonly Alarm[]): void {
    const { storage, sql } = this.#database;
    void storage.deleteAlarm();
    if (rows.length === 0) {
      void storage.deleteAll();
      this.#database.isMade = false;
    } else {
      storage.transactionSync(() => {
        for (const table of DATA_TABLES) sql.exec(`DELETE FROM ${table}`);
        this.credentials.set([]);
        for (const row of rows) this.alarms.add(row);
      });
    }
    this.#forget();
  }

  #forget(): void {
    this.#head = undefined;
    this.#opening = undefined;
    this.#lease = undefined;
    this.inbox.forget();
    this.alarms.forget();
    this.blobs.forget();
  }

  #migrate(): void {
    migrate(this.#database.sql, this.name);
    this.#database.isMade = true;
  }
}

const CREDENTIALS_KEY = 'credentials';

/**
 * Creates the storage of credentials. They are few, rarely change, and are not part of the journal, so they
 * are one value beside the tables, in the same database.
 */
const createCredentialStorage = ({ kv }: DurableObjectStorage): CredentialStorage => ({
  all: () => kv.get<readonly StoredCredential[]>(CREDENTIALS_KEY) ?? [],
  set: (credentials) => kv.put(CREDENTIALS_KEY, credentials),
});
