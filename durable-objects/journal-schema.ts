/**
 * The tables of a session. Columns that are looked at without the body stand before it, because a long body is kept on pages of its own.
 *
 * `events` has a row for the events of an append: `PackedEvents` says what it holds, `epoch` which lease stored it, and `at` when, in ms
 * since the epoch. The body is `NULL` where it is in `chunks`.
 * `schema` has the object's name too: an alarm may start an object that nobody has reached by its name. `turns` holds one
 * row a turn: it finds a turn without reading the journal, at no cost to the other appends. The columns of `lease` are called as the
 * fields of a `Lease`. `requests` tells until that is compacted into which turn a message was steered, so that the journal need not be
 * searched. An id of `inbox` that was read may be named again by a retry, so it is not given to another row. `chunks` are parts of long
 * bodies (`seq` of the event), of long bodies of the inbox (`seq` is the row's id), of the messages before a snapshot, joined (`seq` is the
 * last event, `messages_from` the first), and of the snapshot (the `seq` that it covers, and its reducer; `messages_from`: the first event
 * whose message the conversation still has). `blobs` has a row for each blob: the bytes of one that is `here` are in `chunks` (by its
 * `seq`); those of one that is `outside` are in a store of a module's. A blob came `at` a time, and its bytes are `gone` for a reason;
 * `version` counts the copies that a store outside is to delete, of which it has `deleted` so many.
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
 * The statements that upgrade the tables of each version to those of the next. Empty before the first release: until then `TABLES`
 * changes. Once a version is deployed, neither changes any more, and a new version adds a statement here.
 */
const UPGRADES: readonly string[] = [];

interface Schema {
  readonly version: number;
  readonly name: string;
}

/** Returns the version of a database and the name under which it was made, or `undefined` if there are no tables. Writes nothing. */
export const findSchema = (sql: SqlStorage): Schema | undefined =>
  sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema'`).toArray().length > 0
    ? sql.exec<{ version: number; name: string }>('SELECT version, name FROM schema').one()
    : undefined;

/** Makes the tables of the object of this name, or upgrades those of an older version. To be run in a transaction. */
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

/** The tables that hold a session: all but the first, which has the name of its object. */
export const EMPTIED: readonly string[] = [TABLES, ...UPGRADES]
  .join('')
  .split('CREATE TABLE ')
  .slice(2)
  .map((statement) => statement.split(' ', 1).join());
