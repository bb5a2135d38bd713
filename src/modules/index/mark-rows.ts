/** Rows of the index that store how far each reader has read a session. */
import type { SessionKey } from './reports.ts';

/** `at` is the time at which the mark was set, in milliseconds since the epoch. */
export const MARKS_TABLE_SQL = `
CREATE TABLE marks (agent TEXT NOT NULL, session TEXT NOT NULL, reader TEXT NOT NULL, upTo INTEGER NOT NULL,
at INTEGER NOT NULL, PRIMARY KEY (agent, session, reader)) WITHOUT ROWID;
`;

/** The mark of a reader for a row of `sessions`, as a column of a query. Its parameter is the reader. */
export const MARK_COLUMN_SQL = `(SELECT upTo FROM marks WHERE marks.agent = sessions.agent AND marks.session = sessions.session
AND marks.reader = ?) AS mark`;

/** The maximum number of marks for each session. The oldest mark is dropped. */
const MAX_READERS = 200;

interface NewMarkRow extends SessionKey {
  readonly reader: string;
  readonly upTo: number;
}

/** Stores a mark and returns its event. A mark never moves back. */
export function setMark(
  { sql }: Pick<DurableObjectStorage, 'sql'>,
  { agent, session, reader, upTo }: NewMarkRow,
  now: number,
): number {
  const [set] = sql.exec<{ upTo: number }>(
    `INSERT INTO marks (agent, session, reader, upTo, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET upTo = max(upTo, excluded.upTo), at = excluded.at RETURNING upTo`,
    ...[agent, session, reader, upTo, now],
  );
  sql.exec(
    `DELETE FROM marks WHERE agent = ? AND session = ? AND reader IN (SELECT reader FROM marks WHERE agent = ? AND session = ?
    AND reader <> ? ORDER BY at DESC, reader LIMIT -1 OFFSET ?)`,
    ...[agent, session, agent, session, reader, MAX_READERS - 1],
  );
  return set?.upTo ?? upTo;
}

export function forgetMarks(
  { sql }: Pick<DurableObjectStorage, 'sql'>,
  { agent, session }: SessionKey,
): void {
  sql.exec('DELETE FROM marks WHERE agent = ? AND session = ?', agent, session);
}
