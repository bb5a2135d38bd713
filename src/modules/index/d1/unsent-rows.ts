/** The rows of an owner's index that its copy does not have yet, in the storage of the owner's object. */
import type { PricedUsage } from '../../../journal/reply-data.ts';
import type { SessionReport } from '../reports.ts';

type Value = string | number | null;

/** A row as the copy is to have it. */
export interface CopiedRow {
  readonly table: CopiedTable;
  /** Its key, without the owner. */
  readonly key: readonly string[];
  /** `undefined`: there is no such row. */
  readonly columns: (Readonly<Record<string, Value>> & { readonly usage: PricedUsage }) | undefined;
}

type CopiedTable = 'holdfast_sessions' | 'holdfast_usage';

/** A row that is unsent: which one, and since which change. */
interface Note extends Record<string, SqlStorageValue> {
  readonly row: string;
  readonly revision: number;
}

/** A page of rows to send. */
export interface UnsentPage {
  readonly rows: readonly CopiedRow[];
  readonly notes: readonly Note[];
  /** All rows of the copy that were written before this revision are out of date. Absent: more rows are to be sent first, or none are. */
  readonly purge: number | undefined;
}

/** Every change is one transaction: the tables are those of `IndexTables`, which makes them. */
export class UnsentRows {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Notes what a report has changed. To be called within the change that stores it. */
  note({ agent, session, standing }: SessionReport): void {
    const revision = this.nextRevision();
    this.#note(['holdfast_sessions', agent, session], revision);
    for (const { day, model } of standing?.used ?? [])
      this.#note(['holdfast_usage', day, agent, model], revision);
  }

  /** Notes all rows, and that others are to be removed. */
  noteAll(): void {
    this.#storage.transactionSync(() => {
      const revision = this.nextRevision();
      this.#exec('UPDATE about SET purge = ?', revision);
      this.#exec(
        `INSERT OR REPLACE INTO unsent SELECT json_array('holdfast_sessions', agent, session), ? FROM sessions`,
        revision,
      );
      this.#exec(
        `INSERT OR REPLACE INTO unsent SELECT json_array('holdfast_usage', day, agent, model), ? FROM used`,
        revision,
      );
    });
  }

  /** Whether the copy lacks something. */
  isBehind(): boolean {
    const query = 'SELECT 1 FROM unsent UNION ALL SELECT 1 FROM about WHERE purge IS NOT NULL LIMIT 1';
    return this.#rows(query).length > 0;
  }

  page(limit: number): UnsentPage {
    const notes = this.#rows<Note>('SELECT * FROM unsent LIMIT ?', limit);
    const [{ purge } = { purge: null }] = this.#rows<{ purge: number | null }>('SELECT purge FROM about');
    const isLast = notes.length < limit;
    return {
      rows: notes.map(({ row }) => this.#read(row)),
      notes,
      purge: isLast ? (purge ?? undefined) : undefined,
    };
  }

  /** Forgets a page that was sent, but not what has changed meanwhile. */
  remove({ notes, purge }: UnsentPage): void {
    this.#storage.transactionSync(() => {
      for (const { row, revision } of notes)
        this.#exec('DELETE FROM unsent WHERE row = ? AND revision = ?', row, revision);
      if (purge !== undefined) this.#exec('UPDATE about SET purge = NULL WHERE purge = ?', purge);
    });
  }

  clear(): void {
    this.#exec('DELETE FROM unsent');
    this.#exec('UPDATE about SET purge = NULL');
  }

  /** Returns a number that is higher than all before, also than those of an object that has forgotten its owner. */
  nextRevision(): number {
    const query = 'UPDATE about SET revision = max(revision + 1, ?) RETURNING revision';
    const [{ revision } = { revision: 0 }] = this.#rows<{ revision: number }>(query, Date.now());
    return revision;
  }

  #note(row: readonly string[], revision: number): void {
    this.#exec('INSERT OR REPLACE INTO unsent VALUES (?, ?)', JSON.stringify(row), revision);
  }

  #read(row: string): CopiedRow {
    const [table, ...key] = JSON.parse(row) as [CopiedTable, ...string[]]; // as it was noted here
    const query = table === 'holdfast_sessions' ? SESSION : USED;
    const [found] = this.#rows<Record<string, Value>>(query, ...key);
    if (!found) return { table, key, columns: undefined };
    const { usage, ...columns } = found;
    return { table, key, columns: { ...columns, usage: JSON.parse(String(usage)) } };
  }

  #exec(query: string, ...bindings: SqlStorageValue[]): void {
    this.#storage.sql.exec(query, ...bindings);
  }

  #rows<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): Row[] {
    return this.#storage.sql.exec<Row>(query, ...bindings).toArray();
  }
}

/** A session that an erasure has left over is in no list. */
const SESSION = `SELECT coalesce(title, nullif(words, '')) AS title, status, outcome, openedAt AS opened_at,
  lastActivity AS last_activity, turns, usage FROM sessions WHERE agent = ? AND session = ? AND isLeft = 0`;

const USED = 'SELECT turns, usage FROM used WHERE day = ? AND agent = ? AND model = ?';
