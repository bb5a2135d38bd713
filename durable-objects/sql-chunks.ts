import type { Snapshot } from '../src/journal/snapshot.ts';

/** What a long text belongs to. */
type ChunkOwner = 'event' | 'snapshot' | 'inbox';

/** The texts that are too long for a row of their own, in parts of at most 1 MiB. */
export class SqlChunks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** `seq`: of the event, that which a snapshot covers, or the id of the inbox row. */
  add(
    owner: ChunkOwner,
    text: {
      readonly seq: number;
      readonly body: string;
      readonly reducer?: number | undefined;
      readonly messagesFrom?: number | undefined;
    },
  ): void {
    const { seq, reducer = null, messagesFrom = 1 } = text;
    toChunks(text.body).forEach((chunk, part) => {
      this.#sql.exec(
        'INSERT INTO chunks (owner, seq, part, reducer, messages_from, body) VALUES (?, ?, ?, ?, ?, ?)',
        ...[owner, seq, part, reducer, messagesFrom, chunk],
      );
    });
  }

  body(owner: Exclude<ChunkOwner, 'snapshot'>, seq: number): string {
    const rows = this.#sql.exec<{ body: ArrayBuffer }>(
      'SELECT body FROM chunks WHERE owner = ? AND seq = ? ORDER BY part',
      ...[owner, seq],
    );
    return fromChunks(rows.toArray().map((row) => row.body));
  }

  remove(owner: Exclude<ChunkOwner, 'snapshot'>, seq: number): void {
    this.#sql.exec('DELETE FROM chunks WHERE owner = ? AND seq = ?', owner, seq);
  }

  /** The snapshot that this reducer has folded, if the last one is of it. */
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

  /** Replaces the one before it. */
  setSnapshot(snapshot: Snapshot): void {
    this.#sql.exec(`DELETE FROM chunks WHERE owner = 'snapshot'`);
    this.add('snapshot', snapshot);
  }
}

/** SQLite values of an object are limited to 2 MB; local workerd does not enforce it, so we stay well below. */
const CHUNK_BYTES = 1024 * 1024;

/** Cuts text into parts of at most 1 MiB of UTF-8; at least one. A character may be cut in two: parts are bytes. */
function toChunks(text: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const count = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  return Array.from({ length: count }, (_, i) => bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES));
}

/** The text that the parts were cut from. */
function fromChunks(chunks: Iterable<ArrayBuffer>): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
