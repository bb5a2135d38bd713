import { mkdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import { listDatabases } from '../full/deploys/stored.ts';

/** A stored object: its file, and the SQL statements that restore its database. */
export interface Dump {
  /**
   * The path in the storage. The name of the file is a hash of the object's name, by which the same class finds
   * the file.
   */
  readonly file: string;
  readonly sql: string;
}

/** Reads the databases of a storage, by the names of their objects. No Worker may be running on it. */
export function readDumps(storage: string): ReadonlyMap<string, Dump> {
  return new Map(listDatabases(storage).map((file) => readDump(storage, file)));
}

function readDump(storage: string, path: string): [string, Dump] {
  const database = new DatabaseSync(path);
  try {
    const { name } = v.parse(
      v.object({ name: v.string() }),
      database.prepare('SELECT name FROM schema').get(),
    );
    return [name, { file: relative(storage, path), sql: readSql(database) }];
  } finally {
    database.close();
  }
}

const columns = v.array(v.object({ name: v.string() }));
const statements = v.array(v.object({ sql: v.string() }));
const tables = v.array(v.object({ type: v.string(), name: v.string(), sql: v.nullable(v.string()) }));

/**
 * Dumps every table, with one row on each line. SQLite's own tables come first, because they set the next row
 * ids.
 */
function readSql(database: DatabaseSync): string {
  const all = v.parse(tables, database.prepare('SELECT type, name, sql FROM sqlite_schema').all());
  const made = all.flatMap(({ name, sql }) => (sql === null || isOwn(name) ? [] : `${sql};`));
  const [own, others] = [all.filter(({ name }) => isOwn(name)), all.filter(({ name }) => !isOwn(name))];
  const rows = [...own, ...others].flatMap(({ type, name }) =>
    type === 'table' ? readRows(database, name) : [],
  );
  return `${[...made, ...rows].join('\n')}\n`;
}

/** Returns `true` for a table that SQLite creates itself. */
const isOwn = (name: string): boolean => name.startsWith('sqlite_');

function readRows(database: DatabaseSync, table: string): readonly string[] {
  const names = v.parse(columns, database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all());
  const values = names.map(({ name }) => formatSqlLiteral(`"${name}"`)).join(` || ', ' || `);
  const select = `SELECT 'INSERT INTO "${table}" VALUES (' || ${values} || ');' AS sql FROM "${table}"`;
  return v.parse(statements, database.prepare(select).all()).map(({ sql }) => sql);
}

/** Formats a value as SQL. BLOBs contain text here, so they are written as readable text. */
const formatSqlLiteral = (column: string): string =>
  `CASE typeof(${column}) WHEN 'blob' THEN 'CAST(' || quote(CAST(${column} AS TEXT)) || ' AS BLOB)' ELSE quote(${column}) END`;

/** Restores the databases in an empty storage. */
export function restore(storage: string, dumps: Iterable<Dump>): void {
  for (const { file, sql } of dumps) {
    const path = join(storage, file);
    mkdirSync(dirname(path), { recursive: true });
    const database = new DatabaseSync(path);
    database.exec(`BEGIN; ${sql} COMMIT`);
    database.close();
  }
}

/** Schedules the alarms of all sessions in a storage. */
export function setAlarms(storage: string): void {
  for (const path of listDatabases(storage)) setAlarm(path);
}

/** Schedules the alarms of a class. workerd stores them in a file next to the databases. */
function setAlarm(path: string): void {
  const alarms = new DatabaseSync(join(dirname(path), 'metadata.sqlite'));
  alarms.exec(`CREATE TABLE IF NOT EXISTS _cf_ALARM (
    actor_id TEXT PRIMARY KEY, scheduled_time INTEGER, actor_name TEXT) WITHOUT ROWID`);
  alarms.prepare('ATTACH ? AS object').run(path);
  alarms
    .prepare(
      `INSERT INTO _cf_ALARM SELECT ?, value, name FROM object._cf_METADATA, object.schema
      WHERE key = 1 AND value IS NOT NULL`,
    )
    .run(basename(path, '.sqlite'));
  alarms.close();
}
