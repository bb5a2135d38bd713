import type { InboxKind } from '../src/journal/inbox-message.ts';
import type { Snapshot } from '../src/journal/snapshot.ts';
import {
  type Alarm,
  type AlarmStorage,
  ENCODER,
  type InboxStorage,
  NEVER,
  type RequestStorage,
  type SnapshotStorage,
  type StoredMessage,
  type StoredRequest,
} from './session-storage.ts';

/** A session's database. */
export class SqlDatabase {
  readonly storage: DurableObjectStorage;
  readonly sql: SqlStorage;
  /** `true` if its tables exist. Before that, reads return no rows and create no tables. */
  isMade = false;

  constructor(storage: DurableObjectStorage) {
    this.storage = storage;
    this.sql = storage.sql;
  }

  /** Reads all rows of a query. */
  rows<Row extends SqlColumns<Row>>(query: string, ...values: readonly SqlStorageValue[]): Row[] {
    return this.isMade ? this.sql.exec<SqlColumns<Row>>(query, ...values).toArray() : [];
  }
}

/** Checks that a row's type contains only SQLite values. */
type SqlColumns<Stored> = { [K in keyof Stored]: Stored[K] & SqlStorageValue };

/**
 * The maximum length of an inline body in characters, of at most three bytes each. Longer bodies are in
 * `chunks`.
 */
const MAX_INLINE_CHARACTERS = 64 * 1024;

/**
 * The inbox of a session in its database. Every append reads it and it is nearly always empty, so its rows
 * are cached, without bodies, until they change.
 */
export class SqlInbox implements InboxStorage {
  readonly #database: SqlDatabase;
  readonly #chunks: SqlChunks;
  #messages: readonly StoredMessage[] | undefined;

  constructor(database: SqlDatabase, chunks: SqlChunks) {
    this.#database = database;
    this.#chunks = chunks;
  }

  messages(): readonly StoredMessage[] {
    this.#messages ??= this.#database
      .rows<StoredMessage>('SELECT id, kind, turn, octet_length(body) AS bytes FROM inbox ORDER BY id')
      .map((row) => (row.bytes > 0 ? row : { ...row, bytes: this.#chunks.bytesOf('inbox', row.id) }));
    return this.#messages;
  }

  body(id: number): string {
    const { body } = this.#database.sql
      .exec<{ body: string }>('SELECT body FROM inbox WHERE id = ?', id)
      .one();
    return body || this.#chunks.body('inbox', id);
  }

  take(id: number): string {
    const body = this.body(id);
    this.remove([id]);
    return body;
  }

  /** The row of a long body contains an empty string instead. A real body is never empty. */
  add(kind: InboxKind, turn: string, body: string): void {
    this.forget();
    const isInline = body.length <= MAX_INLINE_CHARACTERS;
    const { id } = this.#database.sql
      .exec<{ id: number }>(
        'INSERT INTO inbox (kind, turn, body) VALUES (?, ?, ?) RETURNING id',
        ...[kind, turn, isInline ? body : ''],
      )
      .one();
    if (!isInline) this.#chunks.add('inbox', { seq: id, body });
  }

  remove(ids: readonly number[]): void {
    if (ids.length > 0) this.forget();
    for (const id of ids) {
      this.#database.sql.exec('DELETE FROM inbox WHERE id = ?', id);
      this.#chunks.remove('inbox', id);
    }
  }

  queueSteered(): void {
    if (!this.messages().some(({ kind }) => kind === 'steer')) return;
    this.forget();
    this.#database.sql.exec(`UPDATE inbox SET kind = 'message' WHERE kind = 'steer'`);
  }

  /** Clears the cache after a change, a rollback or an erasure. */
  forget(): void {
    this.#messages = undefined;
  }
}

/** The keyed requests of a session. */
export const createSqlRequests = (database: SqlDatabase): RequestStorage => ({
  find: (key) =>
    database.rows<StoredRequest>(
      'SELECT key, body_hash AS bodyHash, turn, seq, expires FROM requests WHERE key = ?',
      key,
    )[0] ?? null,
  add({ key, bodyHash, turn, seq, expires }) {
    database.sql.exec(
      'INSERT INTO requests (key, body_hash, turn, seq, expires) VALUES (?, ?, ?, ?, ?)',
      ...[key, bodyHash, turn, seq, expires],
    );
  },
  forget(now) {
    database.sql.exec('DELETE FROM requests WHERE expires <= ?', now);
  },
  expire(before, expires) {
    database.sql.exec(
      'UPDATE requests SET expires = ? WHERE expires = ? AND seq < ?',
      ...[expires, NEVER, before],
    );
  },
});

/** The due times of a session in the table `agenda`, and the platform's one alarm for them. */
export class SqlAlarms implements AlarmStorage {
  at: number | null | undefined;
  readonly #database: SqlDatabase;
  #alarms: readonly Alarm[] | undefined;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  all(): readonly Alarm[] {
    this.#alarms ??= this.#database.rows<Alarm>('SELECT due, kind, ref FROM agenda ORDER BY due');
    return this.#alarms;
  }

  add({ kind, ref, due }: Alarm): void {
    this.#alarms = undefined;
    this.#database.sql.exec(
      'INSERT OR REPLACE INTO agenda (kind, ref, due) VALUES (?, ?, ?)',
      ...[kind, ref, due],
    );
  }

  remove(kind: Alarm['kind'], ref: string): void {
    this.#alarms = undefined;
    this.#database.sql.exec('DELETE FROM agenda WHERE kind = ? AND ref = ?', kind, ref);
  }

  /** Not awaited: the alarm is kept in the same database, and commits with the rows. */
  set(due: number | null): void {
    const { storage } = this.#database;
    this.at = due;
    if (due === null) void storage.deleteAlarm();
    else void storage.setAlarm(due);
  }

  /** Clears the cache after a change, a rollback or an erasure. */
  forget(): void {
    this.#alarms = undefined;
    this.at = undefined;
  }
}

/** The reducer that made a snapshot, and the first event of its messages. */
interface SnapshotOrigin {
  readonly reducer?: number | null | undefined;
  readonly messagesFrom?: number | undefined;
}

/** The owner of a long text. */
type TextOwner = 'event' | 'snapshot' | 'inbox';

/** The owner of joined messages of these types. */
export type MessagesOwner = `messages ${string}`;

/** Texts that are too long for their own row, and the bytes of blobs, in parts of at most 1 MiB. */
export class SqlChunks implements SnapshotStorage {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `seq`: the number of the event, of the last event that a snapshot covers, or of the inbox row. */
  add(owner: TextOwner, text: SnapshotOrigin & { readonly seq: number; readonly body: string }): void {
    this.addBytes(owner, ENCODER.encode(text.body), text);
  }

  /** `seq`: the number of the blob's row, of the last joined message, or as for `add`. */
  addBytes(
    owner: TextOwner | MessagesOwner | 'blob',
    bytes: Uint8Array,
    { seq, reducer = null, messagesFrom = 1 }: SnapshotOrigin & { readonly seq: number },
  ): void {
    toChunks(bytes).forEach((chunk, part) => {
      this.#sql.exec(
        'INSERT INTO chunks (owner, seq, part, reducer, messages_from, body) VALUES (?, ?, ?, ?, ?, ?)',
        ...[owner, seq, part, reducer, messagesFrom, chunk],
      );
    });
  }

  /** Returns some parts of a blob. Each is 1 MiB, except the blob's last. */
  bytes(owner: 'blob', seq: number, parts: { readonly first: number; readonly last: number }): ArrayBuffer[] {
    const rows = this.#sql.exec<{ body: ArrayBuffer }>(
      'SELECT body FROM chunks WHERE owner = ? AND seq = ? AND part BETWEEN ? AND ? ORDER BY part',
      ...[owner, seq, parts.first, parts.last],
    );
    return rows.toArray().map(({ body }) => body);
  }

  /** Returns the size of a text without reading it. */
  bytesOf(owner: Exclude<TextOwner, 'snapshot'>, seq: number): number {
    return this.#sql
      .exec<{ bytes: number }>(
        'SELECT coalesce(sum(length(body)), 0) AS bytes FROM chunks WHERE owner = ? AND seq = ?',
        ...[owner, seq],
      )
      .one().bytes;
  }

  body(owner: Exclude<TextOwner, 'snapshot'>, seq: number): string {
    const rows = this.#sql.exec<{ body: ArrayBuffer }>(
      'SELECT body FROM chunks WHERE owner = ? AND seq = ? ORDER BY part',
      ...[owner, seq],
    );
    return joinChunks(rows.toArray().map((row) => row.body));
  }

  remove(owner: Exclude<TextOwner, 'snapshot'> | 'blob', seq: number): void {
    this.#sql.exec('DELETE FROM chunks WHERE owner = ? AND seq = ?', owner, seq);
  }

  /** Returns the snapshot, if this reducer made it. */
  find(reducer: number): Snapshot | null {
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
    const body = joinChunks(rows.map((row) => row.body));
    return { seq, reducer, body, ...(messagesFrom > 1 && { messagesFrom }) };
  }

  /** Replaces the previous snapshot. */
  set(snapshot: Snapshot): void {
    this.#sql.exec(`DELETE FROM chunks WHERE owner = 'snapshot'`);
    this.add('snapshot', snapshot);
  }
}

/**
 * The size of a part. SQLite values of an object are limited to 2 MB. Local workerd does not enforce this, so
 * stay well below.
 */
export const CHUNK_BYTES = 1024 * 1024;

/** Splits bytes into one or more parts of at most 1 MiB. A split can be within a character. */
export function toChunks(bytes: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  return Array.from({ length: count }, (_, i) => bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
}

/** Joins parts back into their text. */
export function joinChunks(chunks: Iterable<ArrayBuffer | Uint8Array>): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
