import { fromChunks, toChunks } from './text-chunks.ts';

/** What a long text belongs to. */
export type ChunkOwner = 'event' | 'snapshot' | 'inbox';

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
}
