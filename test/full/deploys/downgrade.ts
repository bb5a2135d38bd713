import { DatabaseSync } from 'node:sqlite';
import { databasesIn } from './stored.ts';

/** The tables as the first version made them: never changed, whatever becomes of the first migration. */
const FIRST = `CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
  seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL, turn TEXT NOT NULL,
  bytes INTEGER NOT NULL, body TEXT
);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
  id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT, state TEXT NOT NULL,
  cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL, grace INTEGER
);
CREATE TABLE requests (
  key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL, expires INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
  kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)
) WITHOUT ROWID;
CREATE TABLE chunks (
  owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER, body BLOB NOT NULL,
  PRIMARY KEY (owner, seq, part)
);`;

const TABLES = ['schema', 'events', 'lease', 'requests', 'inbox', 'agenda', 'chunks'];

/** Moves the rows of every session in a storage to tables of the first version. Only while no Worker runs on it. */
export function downgrade(storage: string): void {
  for (const file of databasesIn(storage)) {
    const database = new DatabaseSync(file);
    try {
      database.exec(
        `BEGIN; DROP TABLE files; DROP INDEX turns; DROP INDEX expiries; ${TABLES.map(setAside).join(' ')} ${FIRST}`,
      );
      for (const table of TABLES) bringBack(database, table);
      database.exec('UPDATE schema SET version = 1; COMMIT');
    } finally {
      database.close();
    }
  }
}

const setAside = (table: string): string => `ALTER TABLE ${table} RENAME TO later_${table};`;

/** The columns that there were. */
function bringBack(database: DatabaseSync, table: string): void {
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = columns.map(({ name }) => name).join(', ');
  database.exec(
    `INSERT INTO ${table} (${names}) SELECT ${names} FROM later_${table}; DROP TABLE later_${table};`,
  );
}
