/** Records, in the owner's object, the index rows that the copy lacks. */
import type { PricedUsage } from '../../../journal/reply-data.ts';
import type { SessionReport } from '../reports.ts';

type ColumnValue = string | number | null;

export interface CopiedRow {
  readonly table: CopiedTable;
  /** The key of the row, without the owner. */
  readonly key: readonly string[];
  /** `undefined` if the row does not exist. */
  readonly columns: (Readonly<Record<string, ColumnValue>> & { readonly usage: PricedUsage }) | undefined;
}

type CopiedTable = 'holdfast_sessions' | 'holdfast_usage';

/** An unsent row, and the revision in which it changed. */
interface UnsentNote extends Record<string, SqlStorageValue> {
  readonly row: string;
  readonly revision: number;
}

export interface UnsentPage {
  readonly rows: readonly CopiedRow[];
  readonly notes: readonly UnsentNote[];
  /**
   * The revision before which all rows in the copy are obsolete. Absent if more rows must be sent first, or
   * no rows are obsolete.
   */
  readonly purge: number | undefined;
}

/** The unsent rows. Every change is one transaction. `IndexTables` creates the tables. */
export class UnsentRows {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** Notes the rows that a report changes. Call it within the change that stores the report. */
  note({ agent, session, standing }: SessionReport): void {
    const revision = this.nextRevision();
    this.#note(['holdfast_sessions', agent, session], revision);
    for (const { day, model } of standing?.used ?? [])
      this.#note(['holdfast_usage', day, agent, model], revision);
  }

  /** Notes that all rows must be sent, and that obsolete rows must be removed. */
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

  isBehind(): boolean {
    const query = 'SELECT 1 FROM unsent UNION ALL SELECT 1 FROM about WHERE purge IS NOT NULL LIMIT 1';
    return this.#rows(query).length > 0;
  }

  page(limit: number): UnsentPage {
    const notes = this.#rows<UnsentNote>('SELECT * FROM unsent LIMIT ?', limit);
    const [{ purge } = { purge: null }] = this.#rows<{ purge: number | null }>('SELECT purge FROM about');
    const isLast = notes.length < limit;
    return {
      rows: notes.map(({ row }) => this.#read(row)),
      notes,
      purge: isLast ? (purge ?? undefined) : undefined,
    };
  }

  /** Removes a sent page, but keeps rows that have changed since. */
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

  /**
   * Returns a number that is higher than all earlier revisions, even if the object has forgotten its owner.
   */
  nextRevision(): number {
    const query = 'UPDATE about SET revision = max(revision + 1, ?) RETURNING revision';
    const [{ revision } = { revision: 0 }] = this.#rows<{ revision: number }>(query, Date.now());
    return revision;
  }

  #note(row: readonly string[], revision: number): void {
    this.#exec('INSERT OR REPLACE INTO unsent VALUES (?, ?)', JSON.stringify(row), revision);
  }

  #read(row: string): CopiedRow {
    const [table, ...key] = JSON.parse(row) as [CopiedTable, ...string[]]; // `note` wrote it
    const query = table === 'holdfast_sessions' ? SELECT_SESSION_SQL : SELECT_USAGE_SQL;
    const [found] = this.#rows<Record<string, ColumnValue>>(query, ...key);
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

/** Excludes sessions that must still be erased, since they are not in any list. */
const SELECT_SESSION_SQL = `SELECT coalesce(title, nullif(words, '')) AS title, status, outcome, openedAt AS opened_at,
  lastActivity AS last_activity, turns, usage FROM sessions WHERE agent = ? AND session = ? AND isLeft = 0`;

const SELECT_USAGE_SQL = 'SELECT turns, usage FROM used WHERE day = ? AND agent = ? AND model = ?';
