import type { BlobGoneReason, BlobLoad, KeptBlob } from '../src/journal/blob.ts';
import type { BlobStorage, StaleCopy, StoredBlob } from './blob-storage.ts';
import { CHUNK_BYTES, type SqlChunks, type SqlDatabase } from './sql-tables.ts';

/**
 * The blobs of a session in its database: records in the table `blobs`, and the bytes that are stored here in
 * `chunks`.
 */
export class SqlBlobs implements BlobStorage {
  isEmpty: boolean | undefined;
  readonly #database: SqlDatabase;
  readonly #sql: SqlStorage;
  readonly #chunks: SqlChunks;
  #load: BlobLoad | undefined;

  constructor(database: SqlDatabase, chunks: SqlChunks) {
    this.#database = database;
    this.#sql = database.storage.sql;
    this.#chunks = chunks;
  }

  find(id: string): StoredBlob | null {
    const query = 'SELECT seq, about, size, here, outside, gone, version FROM blobs WHERE id = ?';
    return this.#database.rows<StoredBlob>(query, id)[0] ?? null;
  }

  /** Cached, since every lease reads it. */
  load(): BlobLoad | undefined {
    this.#load ??= this.#database.rows<BlobLoad>(
      'SELECT total(iif(gone IS NULL, size, 0)) AS bytes, count(gone) AS gone FROM blobs',
    )[0];
    if (!this.#load) return undefined;
    const { bytes, gone } = this.#load;
    this.isEmpty = bytes + gone === 0;
    return this.isEmpty ? undefined : this.#load;
  }

  add({ id, about, size, bytes }: KeptBlob, at: number, before: StoredBlob | null): void {
    this.forget();
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO blobs (id, about, size, here, outside, at) VALUES (?1, ?2, ?3, ?4, 1 - ?4, ?5)
        ON CONFLICT (id) DO UPDATE SET size = iif(?4 OR gone IS NOT NULL, ?3, size), here = max(here, ?4),
          outside = max(outside, 1 - ?4), at = ?5, gone = NULL
        RETURNING seq`,
        ...[id, about, size, bytes ? 1 : 0, at],
      )
      .one();
    if (bytes && !before?.here) this.#chunks.addBytes('blob', bytes, { seq });
  }

  remove(id: string, why: BlobGoneReason): void {
    this.forget();
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        'UPDATE blobs SET gone = ?2, here = 0, version = version + outside, outside = 0 WHERE id = ?1 RETURNING seq',
        ...[id, why],
      )
      .one();
    this.#chunks.remove('blob', seq);
  }

  oldest(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(at) AS at FROM blobs WHERE gone IS NULL').one()
      .at;
  }

  keptUntil(at: number): string[] {
    const rows = this.#sql.exec<{ id: string }>('SELECT id FROM blobs WHERE gone IS NULL AND at <= ?', at);
    return rows.toArray().map(({ id }) => id);
  }

  stale(most: number): StaleCopy[] {
    const sql = 'SELECT id, deleted AS version FROM blobs WHERE deleted < version ORDER BY seq LIMIT ?';
    return this.#sql.exec<StaleCopy>(sql, most).toArray();
  }

  forgetStale(copies: readonly StaleCopy[]): void {
    for (const { id, version } of copies)
      this.#sql.exec('UPDATE blobs SET deleted = max(deleted, ?2 + 1) WHERE id = ?1', id, version);
  }

  read({ seq }: StoredBlob, from: number, to: number): Uint8Array {
    if (from === to) return new Uint8Array();
    const first = Math.floor(from / CHUNK_BYTES);
    const parts = this.#chunks.bytes('blob', seq, { first, last: Math.floor((to - 1) / CHUNK_BYTES) });
    const bytes = new Uint8Array(parts.length * CHUNK_BYTES);
    parts.forEach((part, i) => {
      bytes.set(new Uint8Array(part), i * CHUNK_BYTES);
    });
    const start = first * CHUNK_BYTES;
    return bytes.slice(from - start, to - start);
  }

  /** Clears the cache after a change, a rollback or an erasure. */
  forget(): void {
    this.#load = undefined;
    this.isEmpty = undefined;
  }
}
