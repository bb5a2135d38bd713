import { roundUsd } from '../../model/prices.ts';
import type { AccountOwner, SessionKey } from './account.ts';

export interface StoredAllowance extends SessionKey {
  readonly turn: string;
  /** The day on which it counts. */
  readonly day: number;
  readonly at: number;
  /** `null` if unlimited. */
  readonly tokens: number | null;
  readonly cost: number | null;
  /**
   * `open` means that its turn is not known to have ended, `spent` that its turn was not found, and `settled`
   * that its turn has ended.
   */
  readonly state: 'open' | 'spent' | 'settled';
  /** The time at which the object checks the allowance if it is still open. */
  readonly due: number;
  /** The key of the request that drew it. */
  readonly request: string | null;
  /** Until this time, the same request does not draw another allowance. */
  readonly knownUntil: number;
}

export interface DayTotals {
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
}

const CREATE_TABLES_SQL = `
  CREATE TABLE about (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL);
  CREATE TABLE days (day INTEGER PRIMARY KEY, turns INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL NOT NULL);
  CREATE TABLE sessions (agent TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY (agent, session)) WITHOUT ROWID;
  CREATE TABLE allowances (
    turn TEXT PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, day INTEGER NOT NULL, at INTEGER NOT NULL,
    tokens INTEGER, cost REAL, state TEXT NOT NULL, due INTEGER NOT NULL, request TEXT, knownUntil INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX openAllowances ON allowances (due) WHERE state = 'open';
  CREATE INDEX requests ON allowances (request, session, agent) WHERE request IS NOT NULL;
  CREATE TABLE aliases (turn TEXT PRIMARY KEY, same TEXT NOT NULL) WITHOUT ROWID;
`;

const ZERO_TOTALS: DayTotals = { turns: 0, tokens: 0, cost: 0 };

/** The rows of one owner's limits. Reads do not create tables. */
export class AllowanceTables {
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

  /** Stores the owner of these limits. */
  belongTo({ owner, jurisdiction }: AccountOwner): void {
    if (this.owner()) return;
    const named = JSON.stringify({ owner, jurisdiction });
    this.change(() => this.#exec('INSERT INTO about (id, owner) VALUES (1, ?)', named));
  }

  owner(): AccountOwner | undefined {
    const [row] = this.#read<{ owner: string }>('SELECT owner FROM about');
    return row && (JSON.parse(row.owner) as AccountOwner); // written by `belongTo`
  }

  /** Returns the allowance of a turn, including one that another turn of the same request drew. */
  find(turn: string): StoredAllowance | undefined {
    return this.#read<StoredAllowance & SqlRow>(
      'SELECT * FROM allowances WHERE turn = ? OR turn = (SELECT same FROM aliases WHERE turn = ?)',
      turn,
      turn,
    )[0];
  }

  /** Returns the allowance that a request drew, while it is remembered. */
  ofRequest(
    { agent, session, request }: SessionKey & { request: string },
    now: number,
  ): StoredAllowance | undefined {
    return this.#read<StoredAllowance & SqlRow>(
      'SELECT * FROM allowances WHERE request = ? AND session = ? AND agent = ? AND knownUntil > ? ORDER BY at DESC LIMIT 1',
      ...[request, session, agent, now],
    )[0];
  }

  add(one: StoredAllowance): void {
    const { turn, agent, session, day, at, tokens, cost, state, due, request, knownUntil } = one;
    this.#exec(
      'INSERT INTO allowances VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[turn, agent, session, day, at, tokens, cost, state, due, request, knownUntil],
    );
  }

  update({ turn, state, due }: StoredAllowance): void {
    this.#exec('UPDATE allowances SET state = ?, due = ? WHERE turn = ?', state, due, turn);
  }

  remove(turn: string): void {
    this.#exec('DELETE FROM allowances WHERE turn = ?', turn);
    this.#exec('DELETE FROM aliases WHERE same = ?', turn);
  }

  /**
   * Records that a turn shares the allowance of another turn. Both came from one request, and the session
   * stores only one of them.
   */
  addAlias(turn: string, same: string): void {
    this.#exec('INSERT OR IGNORE INTO aliases VALUES (?, ?)', turn, same);
  }

  /** Returns the turns that can have an allowance. */
  turnsOf(turn: string): readonly string[] {
    const aliases = this.#read<{ turn: string }>('SELECT turn FROM aliases WHERE same = ?', turn);
    return [turn, ...aliases.map((one) => one.turn)];
  }

  /** Adds to the usage of a day. */
  count(day: number, { turns, tokens, cost }: DayTotals): void {
    const before = this.totals(day);
    this.#exec(
      'INSERT OR REPLACE INTO days VALUES (?, ?, ?, ?)',
      ...[day, before.turns + turns, before.tokens + tokens, roundUsd(before.cost + cost)],
    );
  }

  totals(day: number): DayTotals {
    const [found] = this.#read<DayTotals & SqlRow>('SELECT turns, tokens, cost FROM days WHERE day = ?', day);
    return found ?? ZERO_TOTALS;
  }

  /** Returns the amounts that open turns have drawn for a day. */
  held(day: number): Pick<DayTotals, 'tokens' | 'cost'> {
    const [held] = this.#read<DayTotals & SqlRow>(
      "SELECT COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(cost), 0) AS cost FROM allowances WHERE state = 'open' AND day = ?",
      day,
    );
    return held ?? ZERO_TOTALS;
  }

  open(): number {
    return this.#number("SELECT COUNT(*) AS number FROM allowances WHERE state = 'open'");
  }

  sessions(): number {
    return this.#number('SELECT COUNT(*) AS number FROM sessions');
  }

  hasSession({ agent, session }: SessionKey): boolean {
    return this.#read('SELECT 1 FROM sessions WHERE agent = ? AND session = ?', agent, session).length > 0;
  }

  addSession({ agent, session }: SessionKey): void {
    this.#exec('INSERT OR IGNORE INTO sessions VALUES (?, ?)', agent, session);
  }

  removeSession({ agent, session }: SessionKey): void {
    this.#exec('DELETE FROM sessions WHERE agent = ? AND session = ?', agent, session);
  }

  /** Returns open allowances that are due, the oldest first. */
  due(now: number, most: number): readonly StoredAllowance[] {
    return this.#read<StoredAllowance & SqlRow>(
      "SELECT * FROM allowances WHERE state = 'open' AND due <= ? ORDER BY due LIMIT ?",
      now,
      most,
    );
  }

  openIn({ agent, session }: SessionKey): readonly StoredAllowance[] {
    return this.#read<StoredAllowance & SqlRow>(
      "SELECT * FROM allowances WHERE state = 'open' AND agent = ? AND session = ?",
      agent,
      session,
    );
  }

  firstDue(): number | undefined {
    const [found] = this.#read<{ due: number | null }>(
      "SELECT MIN(due) AS due FROM allowances WHERE state = 'open'",
    );
    return found?.due ?? undefined;
  }

  hasRows(): boolean {
    return this.#read('SELECT 1 FROM days LIMIT 1').length > 0;
  }

  forgetBefore({ day, now }: { readonly day: number; readonly now: number }): void {
    this.#exec("DELETE FROM allowances WHERE state <> 'open' AND day < ? AND knownUntil <= ?", day, now);
    this.#exec('DELETE FROM aliases WHERE same NOT IN (SELECT turn FROM allowances)');
    this.#exec('DELETE FROM days WHERE day < ? AND day NOT IN (SELECT day FROM allowances)', day);
  }

  #number(query: string): number {
    return this.#read<{ number: number }>(query)[0]?.number ?? 0;
  }

  #read<T extends SqlRow>(query: string, ...values: SqlStorageValue[]): T[] {
    return this.#isMade ? this.#rows<T>(query, ...values) : [];
  }

  #rows<T extends SqlRow>(query: string, ...values: SqlStorageValue[]): T[] {
    return this.#storage.sql.exec<T>(query, ...values).toArray();
  }

  #exec(query: string, ...values: SqlStorageValue[]): void {
    this.#storage.sql.exec(query, ...values);
  }
}

type SqlRow = Record<string, SqlStorageValue>;
