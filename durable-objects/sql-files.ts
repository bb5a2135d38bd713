import type { FileGone, KeptFile } from '../src/journal/kept-file.ts';
import { copyOf, type FileStorage, type StoredFile } from './file-storage.ts';
import { CHUNK_BYTES, type SqlChunks, type SqlDatabase } from './sql-tables.ts';

type FileColumns = {
  readonly seq: number;
  readonly mediaType: string;
  readonly name: string | null;
  readonly size: number;
  readonly here: number;
  readonly outside: number;
  readonly gone: FileGone | null;
  readonly version: number;
};

/** The files of a session in its database: what is known of each in `files`, and the bytes of those that are here in `chunks`. */
export class SqlFiles implements FileStorage {
  readonly #database: SqlDatabase;
  readonly #sql: SqlStorage;
  readonly #chunks: SqlChunks;
  /** Every lease asks for it. */
  #bytes: number | undefined;
  #hasGone: boolean | undefined;
  isEmpty: boolean | undefined;

  constructor(database: SqlDatabase, chunks: SqlChunks) {
    this.#database = database;
    this.#sql = database.storage.sql;
    this.#chunks = chunks;
  }

  find(id: string): StoredFile | null {
    const row = this.#row(id);
    if (row === undefined) return null;
    return toStoredFile(id, row);
  }

  bytes(): number {
    if (!this.#database.isMade) return 0;
    this.#bytes ??= this.#sql
      .exec<{ bytes: number }>('SELECT coalesce(sum(size), 0) AS bytes FROM files WHERE gone IS NULL')
      .one().bytes;
    return this.#bytes;
  }

  hasGone(): boolean {
    if (!this.#database.isMade) return false;
    this.#hasGone ??=
      this.#sql.exec('SELECT 1 FROM files WHERE gone IS NOT NULL LIMIT 1').toArray().length > 0;
    this.isEmpty = !this.#hasGone && this.#bytes === 0;
    return this.#hasGone;
  }

  add({ id, mediaType, name, size, bytes }: KeptFile, at: number): void {
    this.forget();
    const isHere = bytes !== undefined;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO files (id, media_type, name, size, here, outside, at) VALUES (?1, ?2, ?3, ?4, ?5, 1 - ?5, ?6)
        ON CONFLICT (id) DO UPDATE SET size = iif(?5 OR gone IS NOT NULL, ?4, size), here = max(here, ?5),
          outside = max(outside, 1 - ?5), at = ?6, gone = NULL
        RETURNING seq`,
        ...[id, mediaType, name ?? null, size, isHere ? 1 : 0, at],
      )
      .one();
    if (isHere) this.#chunks.addBytes('file', seq, bytes);
  }

  keepLonger(id: string, at: number): void {
    this.#sql.exec('UPDATE files SET at = ? WHERE id = ?', at, id);
  }

  remove(id: string, why: FileGone): void {
    this.forget();
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        'UPDATE files SET gone = ?2, here = 0, version = version + outside, outside = 0 WHERE id = ?1 RETURNING seq',
        ...[id, why],
      )
      .one();
    this.#chunks.remove('file', seq);
  }

  oldest(): number | null {
    return this.#sql.exec<{ at: number | null }>('SELECT min(at) AS at FROM files WHERE gone IS NULL').one()
      .at;
  }

  keptUntil(at: number): StoredFile[] {
    return this.#sql
      .exec<FileColumns & { id: string }>(
        `SELECT id, ${COLUMNS} FROM files WHERE gone IS NULL AND at <= ?`,
        at,
      )
      .toArray()
      .map(({ id, ...row }) => toStoredFile(id, row));
  }

  staleCopies(most: number): string[] {
    return this.#sql
      .exec<{ id: string; deleted: number }>(
        'SELECT id, deleted FROM files WHERE deleted < version ORDER BY seq LIMIT ?',
        most,
      )
      .toArray()
      .map(({ id, deleted }) => copyOf(id, deleted));
  }

  forgetCopies(copies: readonly string[]): void {
    for (const copy of copies) {
      const [id = '', version = 0] = copy.split('.');
      this.#sql.exec('UPDATE files SET deleted = max(deleted, ?2 + 1) WHERE id = ?1', id, Number(version));
    }
  }

  read(id: string, from: number, to: number): Uint8Array {
    const bytes = new Uint8Array(to - from);
    const { seq } = this.#row(id) ?? {};
    if (seq === undefined || bytes.length === 0) return bytes;
    const first = Math.floor(from / CHUNK_BYTES);
    const parts = this.#chunks.bytes('file', seq, { first, last: Math.floor((to - 1) / CHUNK_BYTES) });
    let at = from;
    for (const [i, part] of parts.entries()) {
      const begin = (first + i) * CHUNK_BYTES;
      const piece = new Uint8Array(part).subarray(at - begin, to - begin);
      bytes.set(piece, at - from);
      at += piece.length;
    }
    return bytes;
  }

  /** What is stored may be another than before: it was undone, or erased. */
  forget(): void {
    this.#bytes = undefined;
    this.#hasGone = undefined;
    this.isEmpty = undefined;
  }

  #row(id: string): FileColumns | undefined {
    if (!this.#database.isMade) return undefined;
    return this.#sql.exec<FileColumns>(`SELECT ${COLUMNS} FROM files WHERE id = ?`, id).toArray()[0];
  }
}

const COLUMNS = 'seq, media_type AS mediaType, name, size, here, outside, gone, version';

function toStoredFile(id: string, row: FileColumns): StoredFile {
  const { mediaType, name, size, here, outside, gone, version } = row;
  const file = { id, mediaType, ...(name !== null && { name }), size };
  return { ...file, isHere: here === 1, isOutside: outside === 1, gone, copy: copyOf(id, version) };
}
