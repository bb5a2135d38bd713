/**
 * What brings a session's database from each version to the next; never changed once deployed, only added to. Columns
 * that are looked at without the body stand before it, because a long body is kept on pages of its own.
 *
 * `schema` has the object's name too: an alarm may start an object that nobody has reached by its name. `turns` holds one
 * row a turn: it finds a turn without reading the journal, at no cost to the other appends. An id of `inbox` that was read
 * may be named again by a retry, so it is not given to another row. `chunks` are parts of long bodies (`seq` of the event)
 * and of the snapshot (the `seq` that it covers, and its reducer), and of long bodies of the inbox (`seq` is the row's id).
 * `messages_from`: the first event whose message the conversation still has, with a snapshot. `files` has a row for each file:
 * the bytes of one that is `here` are in `chunks` (by its `seq`); those of one that is `outside` are in a store of the app's.
 * A file came `at` a time, and its bytes are `gone` for a reason; `version` counts the copies that a store outside is to delete, of which
 * it has `deleted` so many. `grace` of a lease is written no more.
 * `requests` tells until that is compacted into which turn a message was steered, so that the journal need not be searched; `chunks` also has
 * the messages before a snapshot, joined (`seq` is the last event, `messages_from` the first).
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
  INSERT INTO schema (version, name) VALUES (0, '');

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
  CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';

  CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );

  CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);

  CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
  CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL,
    PRIMARY KEY (owner, seq, part)
  );`,
  'ALTER TABLE chunks ADD COLUMN messages_from INTEGER NOT NULL DEFAULT 1',
  `CREATE TABLE files (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    media_type TEXT NOT NULL,
    name TEXT,
    size INTEGER NOT NULL,
    here INTEGER NOT NULL,
    outside INTEGER NOT NULL
  )`,
  'ALTER TABLE lease ADD COLUMN heard INTEGER',
  'CREATE INDEX expiries ON requests (expires)',
  `ALTER TABLE lease ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease ADD COLUMN stopped_at TEXT NOT NULL DEFAULT '';
  ALTER TABLE lease ADD COLUMN unread INTEGER NOT NULL DEFAULT 0`,
  `ALTER TABLE files ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE files ADD COLUMN gone TEXT;
  ALTER TABLE files ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE files ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
  UPDATE files SET at = (SELECT coalesce(max(at), 0) FROM events)`,
  `ALTER TABLE lease ADD COLUMN heardSeq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE lease RENAME COLUMN stopped_at TO stoppedAt`,
  `UPDATE agenda SET kind = 'outside', ref = json_array(ref ->> 0, ref ->> 1, 'files', '') WHERE kind = 'files'`,
];

/** Tells whether the tables are there. Writes nothing. */
export function hasSchema(sql: SqlStorage): boolean {
  return (
    sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema'`).toArray().length > 0
  );
}

/** Brings the database of the object of this name to the newest version. To be run in a transaction. */
export function migrate(sql: SqlStorage, name: string): void {
  const version = hasSchema(sql)
    ? sql.exec<{ version: number }>('SELECT version FROM schema').one().version
    : 0;
  if (version >= MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(version)) sql.exec(migration);
  sql.exec('UPDATE schema SET version = ?, name = ?', MIGRATIONS.length, name);
}

/** The name under which the database was made. */
export const storedName = (sql: SqlStorage): string | undefined =>
  hasSchema(sql) ? sql.exec<{ name: string }>('SELECT name FROM schema').one().name : undefined;

/** Returns the tables that hold a session: all but the one with the name of its object. */
export const tablesToEmpty = (sql: SqlStorage): string[] =>
  sql
    .exec<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'`,
    )
    .toArray()
    .map(({ name }) => name);
