import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';

type Row = Record<string, unknown>;

/** The result of `exec`. All rows are read at once, because no other code runs in between. */
class Cursor {
  readonly #rows: () => readonly Row[];
  readonly #arrays: () => readonly unknown[][];

  constructor(statement: StatementSync | undefined, bindings: readonly SQLInputValue[]) {
    this.#rows = () => (statement ? (statement.all(...bindings) as Row[]) : []).map(unpackRow);
    this.#arrays = () => {
      if (!statement) return [];
      statement.setReturnArrays(true);
      const rows = statement.all(...bindings) as unknown as unknown[][]; // `setReturnArrays` makes rows arrays
      statement.setReturnArrays(false);
      return rows.map((row) => row.map(unpackValue));
    };
  }

  toArray(): readonly Row[] {
    return this.#rows();
  }

  one(): Row {
    const rows = this.#rows();
    const [row] = rows;
    if (!row || rows.length > 1)
      throw new Error(`Expected exactly one result from SQL query, but got ${rows.length}.`);
    return row;
  }

  raw(): IterableIterator<unknown[]> {
    return this.#arrays().values();
  }

  [Symbol.iterator](): IterableIterator<Row> {
    return this.#rows().values();
  }
}

/** Converts bytes to an ArrayBuffer, as objects receive them. */
const unpackValue = (value: unknown): unknown => (value instanceof Uint8Array ? value.slice().buffer : value);

const unpackRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, unpackValue(value)]));

const READ_STATEMENT = /^\s*(?:SELECT|PRAGMA)\b/i;

/** The in-memory database of one object. Writes are in a transaction that the host ends. */
export class Database {
  readonly #db = new DatabaseSync(':memory:');
  readonly #onWrite: () => void;
  readonly #statements = new Map<string, StatementSync>();
  #savepoints = 0;

  /** @param onWrite Called before any write. It must begin a transaction. */
  constructor(onWrite: () => void) {
    this.#onWrite = onWrite;
  }

  begin(): void {
    this.#db.exec('BEGIN');
  }

  commit(): void {
    this.#db.exec('COMMIT');
  }

  rollback(): void {
    this.#db.exec('ROLLBACK');
  }

  /** Behaves like `SqlStorage.exec`. A query without bindings can have several statements. */
  exec(query: string, bindings: readonly unknown[]): Cursor {
    if (READ_STATEMENT.test(query)) return new Cursor(this.#prepare(query), bindings.map(toBinding));
    this.#onWrite();
    if (bindings.length === 0 && query.includes(';')) {
      this.#db.exec(query);
      return new Cursor(undefined, []);
    }
    const statement = this.#prepare(query);
    const values = bindings.map(toBinding);
    if (/\bRETURNING\b/i.test(query)) return this.#written(statement, values);
    statement.run(...values);
    return new Cursor(undefined, []);
  }

  /** Runs a write immediately, not when its rows are read. */
  #written(statement: StatementSync, values: readonly SQLInputValue[]): Cursor {
    const rows = statement.all(...values);
    const made = new Cursor(undefined, []);
    const getOne = (): Row => unpackRow(rows[0] as Row);
    return Object.assign(made, { one: getOne, toArray: () => rows.map((row) => unpackRow(row as Row)) });
  }

  /** Behaves like `transactionSync`. */
  transaction<T>(change: () => T): T {
    this.#onWrite();
    const name = `nested${++this.#savepoints}`;
    this.#db.exec(`SAVEPOINT ${name}`);
    try {
      const result = change();
      this.#db.exec(`RELEASE ${name}`);
      return result;
    } catch (error) {
      this.#db.exec(`ROLLBACK TO ${name}`);
      this.#db.exec(`RELEASE ${name}`);
      throw error;
    }
  }

  get size(): number {
    const readPragma = (pragma: string): number =>
      Number(Object.values(this.#prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);
    return readPragma('page_count') * readPragma('page_size');
  }

  /** Returns the sequence number of the last event, or 0. */
  head(): number {
    if (!this.#prepare(`SELECT 1 FROM sqlite_master WHERE name = 'events'`).get()) return 0;
    return Number(this.#prepare('SELECT max(seq) AS head FROM events').get()?.head ?? 0);
  }

  /** Returns the names of all tables. */
  tables(): readonly string[] {
    return this.#db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
  }

  /** Behaves like `deleteAll`. */
  clear(): void {
    this.#onWrite();
    for (const table of this.tables()) this.#db.exec(`DROP TABLE ${table}`);
    this.#statements.clear();
  }

  get(key: string): unknown {
    if (!this.tables().includes(KV_TABLE)) return undefined;
    const row = this.#prepare(`SELECT value FROM ${KV_TABLE} WHERE key = ?`).get(key);
    return row && deserialize(Buffer.from(row.value as Uint8Array)); // the only BLOB column of the table
  }

  put(key: string, value: unknown): void {
    this.#onWrite();
    this.#db.exec(`CREATE TABLE IF NOT EXISTS ${KV_TABLE} (key TEXT PRIMARY KEY, value BLOB)`);
    this.#prepare(`INSERT OR REPLACE INTO ${KV_TABLE} VALUES (?, ?)`).run(key, serialize(value));
  }

  close(): void {
    this.#db.close();
  }

  #prepare(query: string): StatementSync {
    const known = this.#statements.get(query);
    if (known) return known;
    const made = this.#db.prepare(query);
    this.#statements.set(query, made);
    return made;
  }
}

const KV_TABLE = '_cf_KV';

function toBinding(value: unknown): SQLInputValue {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`Provided value cannot be bound to a query: ${String(value)}.`);
}
