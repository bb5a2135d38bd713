import type { InboxKind } from '../src/journal/session-port.ts';
import type { Snapshot } from '../src/journal/snapshot.ts';
import { hasSchema, migrate, storedName } from './journal-schema.ts';
import {
  type AgendaEntry,
  type BodyQuery,
  type Lease,
  NO_LEASE,
  type NoteRow,
  type Scan,
  type SessionStorage,
  type StoredRequest,
  type StoredRow,
  type WaitingRow,
} from './session-storage.ts';
import { fromChunks, SqlChunks, SqlInbox } from './sql-inbox.ts';

/** About what one joined text weighs; a value of SQL may not exceed 2 MB. */
const JOINED_BYTES = 512 * 1024;

/** Longer bodies are kept in `chunks`, so that a scan of the events does not read past them. */
const INLINE_BYTES = 64 * 1024;

/** seq, at, type, turn, body (unless it is in chunks), epoch, bytes. */
type EventColumns = [number, number, string, string, string | null, number, number];
type LeaseColumns = { [K in keyof Lease]: Lease[K] };
type RequestColumns = { [K in keyof StoredRequest]: StoredRequest[K] };
type AgendaColumns = { [K in keyof AgendaEntry]: AgendaEntry[K] };

/** A session kept in the object's own database. What the object wrote in one turn of the event loop commits together. */
export class SqlSessionStorage implements SessionStorage {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #name: string | undefined;
  readonly #chunks: SqlChunks;
  readonly #inbox: SqlInbox;
  #isMigrated = false;
  /** What every append asks for, as the tables have it; forgotten when a transaction is undone. */
  #head: number | undefined;
  #lease: Lease | undefined;

  /** `name`: of the object, where the platform tells. */
  constructor(storage: DurableObjectStorage, name: string | undefined) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#chunks = new SqlChunks(storage.sql);
    this.#inbox = new SqlInbox(storage.sql, this.#chunks);
    this.#name = name ?? storedName(storage.sql);
    if (hasSchema(this.#sql)) this.#migrate();
  }

  /** @throws Error when nobody has ever reached the object by its name. */
  get name(): string {
    if (this.#name === undefined) throw new Error('A session is reached by its name, never by an id alone.');
    return this.#name;
  }

  exists(): boolean {
    return this.#isMigrated;
  }

  transaction<T>(change: () => T): T {
    const isNew = !this.#isMigrated;
    try {
      return this.#storage.transactionSync(() => {
        if (isNew) this.#migrate();
        return change();
      });
    } catch (error) {
      // The tables went with the transaction.
      this.#isMigrated = !isNew;
      this.#forget();
      throw error;
    }
  }

  head(): number {
    if (!this.#isMigrated) return 0;
    this.#head ??= this.#sql
      .exec<{ head: number }>('SELECT coalesce(max(seq), 0) AS head FROM events')
      .one().head;
    return this.#head;
  }

  addEvents(rows: readonly StoredRow[]): void {
    for (const { seq, epoch, at, type, turn, bytes, body } of rows) {
      const isInline = bytes <= INLINE_BYTES;
      this.#sql.exec(
        'INSERT INTO events (seq, epoch, at, type, turn, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
        ...[seq, epoch, at, type, turn, bytes, isInline ? body : null],
      );
      if (!isInline) this.#chunks.add('event', { seq, body });
      this.#head = seq;
    }
  }

  *events({ from, turn, types, limit }: Scan): Iterable<StoredRow> {
    const cursor = this.#sql.exec(
      `SELECT seq, at, type, turn, body, epoch, bytes FROM events
      WHERE seq >= ?1 AND (?2 IS NULL OR turn = ?2)
        AND (seq > ?3 OR type IN (SELECT value FROM json_each(?4)))
      ORDER BY seq LIMIT ?5`,
      ...[from, turn ?? null, types?.until ?? 0, JSON.stringify(types?.names ?? []), limit],
    );
    // A long session is read row by row at every turn: arrays cost half of what objects do.
    for (const [seq, at, type, turnOfRow, body, epoch, bytes] of cursor.raw<EventColumns>()) {
      yield { seq, at, type, turn: turnOfRow, body: body ?? this.#chunks.body('event', seq), epoch, bytes };
    }
  }

  /** Joined by SQLite: stepping through thousands of rows costs more than everything else that a lease takes. */
  bodies({ names, from, until, maxBytes }: BodyQuery): readonly string[] | null {
    const matching = 'FROM events WHERE seq BETWEEN ? AND ? AND type IN (SELECT value FROM json_each(?))';
    const types = JSON.stringify(names);
    const { bytes, long } = this.#sql
      .exec<{ bytes: number; long: number }>(
        `SELECT coalesce(sum(bytes), 0) AS bytes, count(*) - count(body) AS long ${matching}`,
        ...[from, until, types],
      )
      .one();
    if (bytes > maxBytes || long > 0) return null;
    const parts = this.#sql.exec<{ bodies: string }>(
      `SELECT '[' || group_concat(body, ',' ORDER BY seq) || ']' AS bodies
      FROM (SELECT seq, body, sum(bytes) OVER (ORDER BY seq) / CAST(? AS INTEGER) AS part ${matching}) GROUP BY part ORDER BY part`,
      ...[JOINED_BYTES, from, until, types],
    );
    return parts.toArray().map((row) => row.bodies);
  }

  turnStart(turn: string): number | null {
    if (!this.#isMigrated) return null;
    const rows = this.#sql.exec<{ seq: number }>(
      `SELECT seq FROM events WHERE turn = ? AND type = 'turn-started'`,
      turn,
    );
    return rows.toArray()[0]?.seq ?? null;
  }

  lease(): Lease {
    if (!this.#isMigrated) return NO_LEASE;
    this.#lease ??=
      this.#sql
        .exec<LeaseColumns>('SELECT epoch, nonce, turn, state, cause, expired, expiredFor, grace FROM lease')
        .toArray()[0] ?? NO_LEASE;
    return this.#lease;
  }

  setLease(lease: Lease): void {
    const { epoch, nonce, turn, state, cause, expired, expiredFor, grace } = lease;
    this.#lease = { epoch, nonce, turn, state, cause, expired, expiredFor, grace };
    this.#sql.exec(
      `INSERT OR REPLACE INTO lease (id, epoch, nonce, turn, state, cause, expired, expiredFor, grace)
      VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[epoch, nonce, turn, state, cause, expired, expiredFor, grace],
    );
  }

  request(key: string): StoredRequest | null {
    if (!this.#isMigrated) return null;
    const rows = this.#sql.exec<RequestColumns>(
      'SELECT key, body_hash AS bodyHash, turn, seq, expires FROM requests WHERE key = ?',
      key,
    );
    return rows.toArray()[0] ?? null;
  }

  addRequest({ key, bodyHash, turn, seq, expires }: StoredRequest): void {
    this.#sql.exec(
      'INSERT INTO requests (key, body_hash, turn, seq, expires) VALUES (?, ?, ?, ?, ?)',
      ...[key, bodyHash, turn, seq, expires],
    );
  }

  forgetRequests(now: number): void {
    this.#sql.exec('DELETE FROM requests WHERE expires <= ?', now);
  }

  notes(turn: string): NoteRow[] {
    return this.#isMigrated ? this.#inbox.notes(turn) : [];
  }

  noteBody(id: number): string {
    return this.#inbox.body(id);
  }

  waiting(): WaitingRow[] {
    return this.#isMigrated ? this.#inbox.waiting() : [];
  }

  takeWaiting(id: number): string {
    return this.#inbox.take(id);
  }

  addInbox(kind: InboxKind, turn: string, body: string): void {
    this.#inbox.add(kind, turn, body);
  }

  removeInbox(ids: readonly number[]): void {
    this.#inbox.remove(ids);
  }

  queueSteered(): void {
    this.#inbox.queueSteered();
  }

  agenda(): AgendaEntry[] {
    return this.#sql.exec<AgendaColumns>('SELECT due, kind, ref FROM agenda ORDER BY due').toArray();
  }

  schedule({ kind, ref, due }: AgendaEntry): void {
    this.#sql.exec('INSERT OR REPLACE INTO agenda (kind, ref, due) VALUES (?, ?, ?)', kind, ref, due);
  }

  unschedule(kind: AgendaEntry['kind'], ref: string): void {
    this.#sql.exec('DELETE FROM agenda WHERE kind = ? AND ref = ?', kind, ref);
  }

  /** Not awaited: the alarm is kept in the same database, and commits with the rows. */
  arm(due: number | null): void {
    if (due === null) void this.#storage.deleteAlarm();
    else void this.#storage.setAlarm(due);
  }

  snapshot(reducer: number): Snapshot | null {
    const rows = this.#sql
      .exec<{ seq: number; body: ArrayBuffer; messagesFrom: number }>(
        `SELECT seq, body, messages_from AS messagesFrom FROM chunks
        WHERE owner = 'snapshot' AND reducer = ? ORDER BY part`,
        reducer,
      )
      .toArray();
    const [first] = rows;
    if (!first) return null;
    const { seq, messagesFrom } = first;
    const body = fromChunks(rows.map((row) => row.body));
    return { seq, reducer, body, ...(messagesFrom > 1 && { messagesFrom }) };
  }

  setSnapshot(snapshot: Snapshot): void {
    this.#sql.exec(`DELETE FROM chunks WHERE owner = 'snapshot'`);
    this.#chunks.add('snapshot', snapshot);
  }

  /** Not awaited: the output gate waits for it. Before the compatibility date 2026-02-24 the alarm outlives all else. */
  erase(): void {
    void this.#storage.deleteAlarm();
    void this.#storage.deleteAll();
    this.#isMigrated = false;
    this.#forget();
  }

  #forget(): void {
    this.#head = undefined;
    this.#lease = undefined;
    this.#inbox.forget();
  }

  #migrate(): void {
    migrate(this.#sql, this.name);
    this.#isMigrated = true;
  }
}
