import { createHash, createHmac } from 'node:crypto';
import { readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';

/** Sessions that were stored before the first release are not upgraded by the library: it is done here, for the tests that read them. */

/** The statements by which an object makes its tables; its code needs the types of a Worker, which tests in Node have not. */
const [, TABLES = ''] =
  /const TABLES = `([^`]+)`/.exec(
    readFileSync(join(import.meta.dirname, '../../durable-objects/journal-schema.ts'), 'utf8'),
  ) ?? [];

const named = v.array(v.object({ name: v.string() }));

/** Moves the rows of a stored session into the tables of today. `at`: when it was stored, in ms since the epoch. */
export function toCurrentTables(path: string, at: number): void {
  const database = new DatabaseSync(path);
  const namesOf = (query: string): readonly string[] =>
    v.parse(named, database.prepare(query).all()).map(({ name }) => name);
  const own = (type: string): readonly string[] =>
    namesOf(`SELECT name FROM sqlite_schema WHERE type = '${type}' AND sql IS NOT NULL`).filter(
      (name) => !/^(?:sqlite|_cf)_/.test(name),
    );
  const columnsOf = (table: string) => namesOf(`SELECT name FROM pragma_table_info('${table}')`);
  try {
    database.exec('BEGIN');
    const tables = own('table');
    for (const index of own('index')) database.exec(`DROP INDEX ${index}`);
    for (const table of tables) database.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
    database.exec(TABLES);
    for (const table of tables) {
      const kept = columnsOf(`old_${table}`);
      const columns = columnsOf(table).filter((column) => kept.includes(column));
      const values = [...columns];
      // Who was heard last, and when, was not stored: a term begins at the time of the dump.
      if (table === 'lease' && !kept.includes('heard')) {
        columns.push('heard', 'heardSeq', 'taken', 'strikes', 'stoppedAt', 'unread');
        values.push(String(at), '(SELECT max(seq) FROM events)', '0', '0', `''`, '0');
      }
      database.exec(
        `DELETE FROM ${table}; INSERT INTO ${table} (${columns}) SELECT ${values} FROM old_${table}; DROP TABLE old_${table}`,
      );
    }
    database.exec('UPDATE schema SET version = 1; COMMIT');
  } finally {
    database.close();
  }
}

/** Moves the session of a tenant to the name of today, in which a tenant is told from an id. Returns its file. */
export function toCurrentName(path: string): string {
  const database = new DatabaseSync(path);
  try {
    const { name } = v.parse(
      v.object({ name: v.string() }),
      database.prepare('SELECT name FROM schema').get(),
    );
    const [owner, ...rest] = v.parse(v.tuple([v.unknown(), v.string(), v.string()]), JSON.parse(name));
    if (owner !== TENANT) return path;
    const current = JSON.stringify([{ tenant: owner }, ...rest]);
    database.prepare('UPDATE schema SET name = ?').run(current);
    const moved = join(dirname(path), `${idOf(current)}.sqlite`);
    renameSync(path, moved);
    return moved;
  } finally {
    database.close();
  }
}

/** The one of whom sessions are kept. */
const TENANT = 'acme';

/** The id of the object of a name, as workerd makes it. */
function idOf(name: string): string {
  const key = createHash('sha256').update('holdfast-SessionObject').digest();
  const mac = (bytes: Buffer | string): Buffer =>
    createHmac('sha256', key).update(bytes).digest().subarray(0, 16);
  const first = mac(name);
  return Buffer.concat([first, mac(first)]).toString('hex');
}
