import type { KeptFile } from '../src/journal/kept-file.ts';
import type { FileStorage, StoredFile } from './session-storage.ts';
import { CHUNK_BYTES, type SqlChunks, type SqlDatabase } from './sql-tables.ts';

type FileColumns = {
  readonly seq: number;
  readonly mediaType: string;
  readonly name: string | null;
  readonly size: number;
  readonly here: number;
  readonly outside: number;
};

/** The files of a session in its database: what is known of each in `files`, and the bytes of those that are here in `chunks`. */
export class SqlFiles implements FileStorage {
  readonly #exists: () => boolean;
  readonly #sql: SqlStorage;
  readonly #chunks: SqlChunks;
  /** Every lease asks for it. */
  #bytes: number | undefined;

  constructor({ storage, exists }: SqlDatabase, chunks: SqlChunks) {
    this.#exists = exists;
    this.#sql = storage.sql;
    this.#chunks = chunks;
  }

  find(id: string): StoredFile | null {
    const row = this.#row(id);
    if (row === undefined) return null;
    const { mediaType, name, size, here, outside } = row;
    const file = { id, mediaType, ...(name !== null && { name }), size };
    return { ...file, isHere: here === 1, isOutside: outside === 1 };
  }

  bytes(): number {
    if (!this.#exists()) return 0;
    this.#bytes ??= this.#sql
      .exec<{ bytes: number }>('SELECT coalesce(sum(size), 0) AS bytes FROM files')
      .one().bytes;
    return this.#bytes;
  }

  hasOutside(): boolean {
    if (!this.#exists()) return false;
    return this.#sql.exec('SELECT 1 FROM files WHERE outside = 1 LIMIT 1').toArray().length > 0;
  }

  add({ id, mediaType, name, size, bytes }: KeptFile): void {
    this.#bytes = undefined;
    const isHere = bytes !== undefined;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO files (id, media_type, name, size, here, outside) VALUES (?1, ?2, ?3, ?4, ?5, 1 - ?5)
        ON CONFLICT (id) DO UPDATE SET size = iif(?5, ?4, size), here = max(here, ?5), outside = max(outside, 1 - ?5)
        RETURNING seq`,
        ...[id, mediaType, name ?? null, size, isHere ? 1 : 0],
      )
      .one();
    if (isHere) this.#chunks.addBytes('file', seq, bytes);
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
  }

  #row(id: string): FileColumns | undefined {
    if (!this.#exists()) return undefined;
    const columns = 'seq, media_type AS mediaType, name, size, here, outside';
    return this.#sql.exec<FileColumns>(`SELECT ${columns} FROM files WHERE id = ?`, id).toArray()[0];
  }
}
