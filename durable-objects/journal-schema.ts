/**
 * The tables of a session. Columns that are read without the body come before it, since a long body is on
 * separate pages.
 *
 * `schema` also has the object's name, since an alarm can start an object that was not reached by its name.
 * `events` has a row for several events of an append (see `PackedEvents`), with the `epoch` of the lease that
 * stored it and the time `at`, in ms since the epoch. The body is `NULL` if it is in `chunks`. The index
 * `turns` has one row per turn. It finds a turn without a scan of the journal, and adds no cost to other
 * appends. The columns of `lease` are named like the fields of a `Lease`. `requests` also records the turn
 * that received a steering message, until that part of the journal is compacted, so that the journal need not
 * be searched. Ids of `inbox` are not reused, since a retry can refer to one that was already read. `chunks`
 * contains parts of long texts: of event bodies (`seq` of the event), of inbox bodies (`seq` is the row's
 * id), of the joined messages before a snapshot (`seq` is the last event, `messages_from` the first), and of
 * the snapshot (the `seq` that it covers, its reducer, and in `messages_from` the first event whose message
 * is still in the conversation). `blobs` has a row for each blob. If `here` is set, its bytes are in `chunks`
 * under its `seq`. If `outside` is set, they are in a module's store. `at` is when it last arrived, and
 * `gone` is why its bytes were removed. `version` counts the copies that an outside store must delete, and
 * `deleted` those that it has deleted.
 */
const TABLES = `
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
INSERT INTO schema VALUES (1, '');
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0)`;

/**
 * The statements that upgrade the tables from each version to the next. Empty until the first release, so
 * `TABLES` can still change. Once a version is deployed, existing statements must not change, and a new
 * version adds a statement here.
 */
const UPGRADES: readonly string[] = [];

interface Schema {
  readonly version: number;
  readonly name: string;
}

/**
 * Returns the version of a database and the name under which it was created, or `undefined` if it has no
 * tables. Does not write.
 */
export const findSchema = (sql: SqlStorage): Schema | undefined =>
  sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema'`).toArray().length > 0
    ? sql.exec<{ version: number; name: string }>('SELECT version, name FROM schema').one()
    : undefined;

/**
 * Creates the tables for the object of this name, or upgrades those of an older version. Must run in a
 * transaction.
 */
export function migrate(
  sql: SqlStorage,
  name: string,
  { version } = findSchema(sql) ?? { version: 0 },
): void {
  const steps = [TABLES, ...UPGRADES];
  if (version >= steps.length) return;
  for (const step of steps.slice(version)) sql.exec(step);
  sql.exec('UPDATE schema SET version = ?, name = ?', steps.length, name);
}

/** The tables that contain a session's data: all but the first, which has the name of the object. */
export const DATA_TABLES: readonly string[] = [TABLES, ...UPGRADES]
  .join('')
  .split('CREATE TABLE ')
  .slice(2)
  .map((statement) => statement.split(' ', 1).join());
