import type { PricedUsage, UsageTotals } from '../../journal/reply-data.ts';
import { addUsage } from '../../journal/spending.ts';
import { forgetMarks, MARK_COLUMN_SQL, MARKS_TABLE_SQL, setMark } from './mark-rows.ts';
import type {
  Erasure,
  IndexedSession,
  IndexedState,
  IndexOwner,
  NewMark,
  OwnerState,
  ReadMark,
  ReportedState,
  SessionKey,
  SessionQuery,
  SessionReport,
  UsageEntry,
  UsageQuery,
} from './reports.ts';
import { parseUsage, type SessionRow, toIndexedSession } from './session-row.ts';

/**
 * `sessions` has a row for each session. Times are in milliseconds since the epoch. `words` is the start of
 * the first message, and `title` the title from a person or a model. `isLeft` marks a session from before an
 * erasure, which must be erased. `gone` stores the versions of erased sessions for refreshes in progress.
 * `news` is the last event that makes the session unread, `turn` the last turn that has started, and `forkOf`
 * the session that was forked. `used` has the usage of each day. `about` has the owner: `isListed` once the
 * list of owners has it, `erasing` from the request for an erasure, `erased` when the last erasure ended, and
 * `asked` when that one was requested. `owners` belongs to the list of owners, which is a separate object.
 * `unsent` lists the rows that a copy of the index lacks, each with the `revision` of `about` in which it
 * changed. `purge` is the revision since which all rows are sent again.
 */
const CREATE_TABLES_SQL = `
CREATE TABLE about (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, isListed INTEGER NOT NULL DEFAULT 0,
erasing INTEGER, asked INTEGER, erased INTEGER, removed INTEGER NOT NULL DEFAULT 0,
revision INTEGER NOT NULL DEFAULT 0, purge INTEGER);
CREATE TABLE sessions (agent TEXT NOT NULL, session TEXT NOT NULL, version INTEGER NOT NULL, incarnation TEXT NOT NULL,
seq INTEGER NOT NULL, status TEXT NOT NULL, outcome TEXT, model TEXT NOT NULL, openedAt INTEGER NOT NULL,
lastActivity INTEGER NOT NULL, turn TEXT, forkOf TEXT, news INTEGER NOT NULL, words TEXT NOT NULL, title TEXT, turns INTEGER NOT NULL, usage TEXT NOT NULL,
isLeft INTEGER NOT NULL, PRIMARY KEY (agent, session)) WITHOUT ROWID;
CREATE INDEX latest ON sessions (agent, lastActivity);
CREATE INDEX unsettled ON sessions (status, lastActivity) WHERE status <> 'idle';
CREATE INDEX leftOver ON sessions (agent) WHERE isLeft = 1;
CREATE TABLE gone (agent TEXT NOT NULL, session TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL,
PRIMARY KEY (agent, session)) WITHOUT ROWID;
CREATE INDEX goneAt ON gone (at);
CREATE TABLE used (day TEXT NOT NULL, agent TEXT NOT NULL, model TEXT NOT NULL, turns INTEGER NOT NULL,
usage TEXT NOT NULL, PRIMARY KEY (day, agent, model)) WITHOUT ROWID;
CREATE TABLE owners (owner TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unsent (row TEXT PRIMARY KEY, revision INTEGER NOT NULL) WITHOUT ROWID;
${MARKS_TABLE_SQL}`;

interface OwnerRecord {
  readonly owner: IndexOwner;
  readonly isListed: boolean;
  readonly erasing: number | null;
  readonly asked: number | null;
  readonly erased: number | null;
  readonly removed: number;
}

export interface SessionToErase extends SessionKey {
  readonly version: number;
}

const UNINDEXED_STATE: IndexedState = { version: 0, incarnation: '', seq: 0, model: '' };

const NO_USAGE: PricedUsage = { inputTokens: 0, outputTokens: 0 };

/** The maximum duration of a refresh in milliseconds. */
const MAX_REFRESH_MS = 60 * 60_000;

/** The rows of the index of one owner, or of the list of owners. Reads do not create tables. */
export class IndexTables {
  readonly #storage: DurableObjectStorage;
  #isMade: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#isMade = this.#rows("SELECT 1 FROM sqlite_master WHERE name = 'about'").length > 0;
  }

  /** Runs a change in a transaction. Creates the tables first. */
  change<T>(change: () => T): T {
    const isMade = this.#isMade;
    try {
      return this.#storage.transactionSync(() => {
        if (!isMade) this.#storage.sql.exec(CREATE_TABLES_SQL);
        this.#isMade = true;
        return change();
      });
    } catch (thrown) {
      this.#isMade = isMade;
      throw thrown;
    }
  }

  /** Resets the state after all data was deleted. */
  forget(): void {
    this.#isMade = false;
  }

  /** Returns the owner of the index, or `undefined` if the index is empty. */
  about(): OwnerRecord | undefined {
    const [row] = this.#isMade ? this.#rows<OwnerRow>('SELECT * FROM about') : [];
    return row && { ...row, owner: JSON.parse(row.owner) as IndexOwner, isListed: row.isListed === 1 }; // written by `belongTo`
  }

  /** Stores the owner of the index and its current copy. */
  belongTo({ owner, jurisdiction, copy }: IndexOwner): void {
    this.#exec(
      `INSERT INTO about (id, owner) VALUES (1, ?)
      ON CONFLICT DO UPDATE SET owner = excluded.owner WHERE owner <> excluded.owner`,
      JSON.stringify({ owner, jurisdiction, copy }),
    );
  }

  known({ agent, session }: SessionKey): IndexedState {
    const row = this.#isMade ? this.#session({ agent, session }) : undefined;
    if (row) {
      const { version, incarnation, seq, model } = row;
      return { version, incarnation, seq, model };
    }
    return { ...UNINDEXED_STATE, version: this.#goneVersion({ agent, session }) };
  }

  /** Stores a report. Returns `false` if the report is based on outdated data. */
  report({ standing, ...report }: SessionReport, now: number): boolean {
    if (this.known(report).version !== report.version) return false;
    if (standing) this.#store(report, standing);
    else this.#remove({ ...report }, now);
    return true;
  }

  /** Counts a session as erased. */
  removeLeft(left: SessionToErase, now: number): void {
    if (this.known(left).version !== left.version) return; // a new session has the name
    this.#remove(left, now);
    this.#exec('UPDATE about SET removed = removed + 1');
  }

  #remove({ agent, session, version }: SessionToErase, now: number): void {
    const key = [agent, session];
    this.#exec('DELETE FROM sessions WHERE agent = ? AND session = ?', ...key);
    forgetMarks(this.#storage, { agent, session });
    this.#exec('DELETE FROM gone WHERE at < ?', now - MAX_REFRESH_MS);
    this.#exec('INSERT OR REPLACE INTO gone VALUES (?, ?, ?, ?)', ...key, version + 1, now);
  }

  #store({ agent, session, version }: Omit<SessionReport, 'standing'>, standing: ReportedState): void {
    const before = this.#session({ agent, session });
    // All data of another session of this name is obsolete.
    const same = before?.incarnation === standing.incarnation ? before : undefined;
    const { seq, incarnation, open, model, lastActivity, used } = standing;
    const openedAt = standing.openedAt ?? same?.openedAt ?? lastActivity;
    const outcome = standing.outcome ?? same?.outcome ?? null;
    const isLeft = isFromBeforeErasure(openedAt, this.about()) || same?.isLeft === 1;
    const usage: UsageTotals = { ...(same ? parseUsage(same) : NO_USAGE) };
    let turns = same?.turns ?? 0;
    for (const one of used) {
      addUsage(usage, one.usage);
      turns += one.turns;
      if (!isLeft) this.#count(agent, one);
    }
    if (!before) this.#exec('DELETE FROM gone WHERE agent = ? AND session = ?', agent, session);
    else if (!same) forgetMarks(this.#storage, { agent, session });
    this.#exec(
      `INSERT OR REPLACE INTO sessions (agent, session, version, incarnation, seq, status, outcome, model, openedAt, lastActivity,
      turn, forkOf, news, words, title, turns, usage, isLeft) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[agent, session, version + 1, incarnation, seq],
      ...[open ?? (outcome === 'failed' ? 'failed' : 'idle'), outcome, model],
      ...[openedAt, Math.max(lastActivity, same?.lastActivity ?? 0)],
      ...[standing.turn ?? same?.turn ?? null, same?.forkOf ?? this.#rootOf(agent, standing)],
      ...[Math.max(standing.news, same?.news ?? 0), standing.words ?? same?.words ?? ''],
      ...[standing.title === undefined ? (same?.title ?? null) : standing.title],
      ...[turns, JSON.stringify(usage), Number(isLeft)],
    );
  }

  #rootOf(agent: string, { forkOf }: ReportedState): string | null {
    if (forkOf === undefined) return null;
    return this.#session({ agent, session: forkOf })?.forkOf ?? forkOf;
  }

  #count(agent: string, { day, model, turns, usage }: ReportedState['used'][number]): void {
    const [before] = this.#rows<UsageRow>(
      'SELECT turns, usage FROM used WHERE day = ? AND agent = ? AND model = ?',
      ...[day, agent, model],
    );
    const total: UsageTotals = { ...(before ? parseUsage(before) : NO_USAGE) };
    addUsage(total, usage);
    this.#exec(
      'INSERT OR REPLACE INTO used (day, agent, model, turns, usage) VALUES (?, ?, ?, ?, ?)',
      ...[day, agent, model, turns + (before?.turns ?? 0), JSON.stringify(total)],
    );
  }

  /** Returns a page of sessions in the order of their last activity, without those to be erased. */
  sessions({
    agent,
    status,
    since = 0,
    after,
    limit,
    reader,
    oldestFirst = false,
  }: SessionQuery): IndexedSession[] {
    if (!this.#isShown) return [];
    const [behind, before, order] = oldestFirst
      ? ['>', '<', 'lastActivity, agent DESC, session DESC']
      : ['<', '>', 'lastActivity DESC, agent, session'];
    // SQLite uses a partial index only if the query repeats its condition literally.
    const wanted = [
      ...(agent === undefined ? [] : ['agent = ?']),
      ...(status === undefined ? [] : ['status = ?']),
      ...(status === undefined || status === 'idle' ? [] : ["status <> 'idle'"]),
      ...(after
        ? [`(lastActivity ${behind} ? OR (lastActivity = ? AND (agent, session) ${before} (?, ?)))`]
        : []),
    ];
    const rows = this.#rows<SessionRow>(
      `SELECT *${reader === undefined ? '' : `, ${MARK_COLUMN_SQL}`} FROM sessions WHERE ${[...wanted, 'lastActivity >= ?', 'isLeft = 0'].join(' AND ')}
      ORDER BY ${order} LIMIT ?`,
      ...[reader, agent, status].filter((one) => one !== undefined),
      ...(after ? [after.lastActivity, after.lastActivity, after.agent, after.session] : []),
      ...[since, limit],
    );
    return rows.map(toIndexedSession);
  }

  /** Returns the sessions with this id, at most one per agent, without those to be erased. */
  named(agents: readonly string[], session: string): IndexedSession[] {
    if (!this.#isShown) return [];
    const rows = agents.flatMap((agent) => this.#session({ agent, session }) ?? []);
    return rows.filter(({ isLeft }) => isLeft === 0).map(toIndexedSession);
  }

  /** Whether the owner has sessions that are not being erased. */
  get #isShown(): boolean {
    return this.#isMade && this.about()?.erasing === null;
  }

  /**
   * Sets the mark of a reader. Returns `undefined` if the session does not exist, or the mark is beyond its
   * last known event.
   */
  mark({ agent, session, reader, upTo, isCurrent }: NewMark, now: number): ReadMark | undefined {
    const row = this.#isShown ? this.#session({ agent, session }) : undefined;
    if (row?.isLeft !== 0) return undefined;
    const { seq, news } = row;
    if (!isCurrent && (upTo === undefined || upTo > seq)) return undefined;
    const set = { agent, session, reader, upTo: Math.min(upTo ?? seq, seq) };
    const marked = this.change(() => setMark(this.#storage, set, now));
    return { upTo: marked, unread: news > marked };
  }

  usage({ by, from = '', to = '9999' }: UsageQuery): UsageEntry[] {
    if (!this.#isMade) return [];
    const found = new Map<string, { turns: number; usage: UsageTotals }>();
    for (const row of this.#rows<UsageRow>('SELECT * FROM used WHERE day BETWEEN ? AND ?', from, to)) {
      const total = found.get(row[by]) ?? { turns: 0, usage: { ...NO_USAGE } };
      found.set(row[by], total);
      total.turns += row.turns;
      addUsage(total.usage, parseUsage(row));
    }
    return [...found].map(([of, total]) => ({ of, ...total })).toSorted((a, b) => (a.of < b.of ? -1 : 1));
  }

  standing(): OwnerState {
    const about = this.about();
    if (!about) return { sessions: 0 };
    const [{ count } = { count: 0 }] = this.#rows<{ count: number }>(
      'SELECT count(*) AS count FROM sessions',
    );
    const erasure = findErasure(about);
    return { sessions: count, ...(erasure && { erasure }) };
  }

  beginErasure(now: number): void {
    this.#exec('UPDATE about SET erasing = ?, removed = 0 WHERE erasing IS NULL', now);
  }

  /** Also marks for erasure a session that may have started during the erasure. */
  eraseToo({ agent, session }: SessionKey): void {
    const standing: ReportedState = {
      ...{ incarnation: '', seq: 0, model: '', openedAt: 0, lastActivity: 0, news: 0, used: [] },
      ...{ turn: undefined, forkOf: undefined, open: undefined, outcome: undefined },
      ...{ words: undefined, title: undefined },
    };
    const { version } = this.known({ agent, session });
    const about = this.about();
    if (about && !this.#session({ agent, session }))
      this.#store({ agent, session, version, ...about.owner }, standing);
  }

  left(limit: number): SessionToErase[] {
    const all = this.about()?.erasing === null ? 'WHERE isLeft = 1' : '';
    return this.#rows<SessionToErase & Record<string, SqlStorageValue>>(
      `SELECT agent, session, version FROM sessions ${all} LIMIT ?`,
      limit,
    );
  }

  /** Ends the erasure. Keeps only its times. */
  endErasure(now: number): void {
    for (const table of ['used', 'gone', 'marks']) this.#exec(`DELETE FROM ${table}`);
    this.#exec('UPDATE about SET asked = erasing, erasing = NULL, erased = ?, isListed = 0', now);
  }

  forgetErasure(): void {
    this.#exec('UPDATE about SET asked = NULL, erased = NULL');
  }

  markListed(): void {
    this.#exec('UPDATE about SET isListed = 1');
  }

  hasSessions(): boolean {
    return this.#isMade && this.#rows('SELECT 1 FROM sessions LIMIT 1').length > 0;
  }

  /** Returns `true` if the owner has sessions, or usage since its erasure. */
  isInUse(): boolean {
    return this.hasSessions() || this.#rows('SELECT 1 FROM used LIMIT 1').length > 0;
  }

  addOwner(owner: string): void {
    this.#exec('INSERT OR IGNORE INTO owners VALUES (?)', owner);
  }

  removeOwner(owner: string): void {
    this.#exec('DELETE FROM owners WHERE owner = ?', owner);
  }

  owners(after: string, limit: number): string[] {
    if (!this.#isMade) return [];
    return this.#rows<{ owner: string }>(
      'SELECT owner FROM owners WHERE owner > ? ORDER BY owner LIMIT ?',
      ...[after, limit],
    ).map(({ owner }) => owner);
  }

  #session({ agent, session }: SessionKey): SessionRow | undefined {
    return this.#rows<SessionRow>(
      'SELECT * FROM sessions WHERE agent = ? AND session = ?',
      agent,
      session,
    )[0];
  }

  #goneVersion({ agent, session }: SessionKey): number {
    if (!this.#isMade) return 0;
    const query = 'SELECT version FROM gone WHERE agent = ? AND session = ?';
    return this.#rows<{ version: number }>(query, agent, session)[0]?.version ?? 0;
  }

  #exec(query: string, ...bindings: SqlStorageValue[]): void {
    this.#storage.sql.exec(query, ...bindings);
  }

  #rows<Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): Row[] {
    return this.#storage.sql.exec<Row>(query, ...bindings).toArray();
  }
}

type OwnerRow = {
  [Key in keyof OwnerRecord]: OwnerRecord[Key] extends number | null ? OwnerRecord[Key] : never;
} & {
  owner: string;
  isListed: number;
};

type UsageRow = Record<'day' | 'agent' | 'model' | 'usage', string> & { readonly turns: number };

/**
 * Returns `true` if a session that was opened at this time must be erased. The clocks of objects differ by
 * much less than the duration of an erasure.
 */
const isFromBeforeErasure = (openedAt: number, about: OwnerRecord | undefined): boolean =>
  about !== undefined && about.erasing === null && about.erased !== null && openedAt <= about.erased;

function findErasure({ erasing, asked, erased, removed }: OwnerRecord): Erasure | undefined {
  if (erasing !== null) return { status: 'erasing', since: erasing, removed };
  if (erased === null) return undefined;
  return { status: 'erased', since: asked ?? erased, at: erased, removed };
}
