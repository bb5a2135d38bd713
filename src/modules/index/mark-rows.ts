/** The rows of an index that say up to which event each reader has seen a session. */
import type { SessionKey } from './reports.ts';

/** `at`: when the mark was set, in ms since the epoch. */
export const MARKS_TABLE = `
CREATE TABLE marks (agent TEXT NOT NULL, session TEXT NOT NULL, reader TEXT NOT NULL, upTo INTEGER NOT NULL,
at INTEGER NOT NULL, PRIMARY KEY (agent, session, reader)) WITHOUT ROWID;
`;

/** The mark of a reader for a row of `sessions`, as a column of a query. Its parameter is the reader. */
export const MARK_COLUMN = `(SELECT upTo FROM marks WHERE marks.agent = sessions.agent AND marks.session = sessions.session
AND marks.reader = ?) AS mark`;

/** The most readers of one session whose marks are kept: the mark that was set first is dropped. */
const MOST_READERS = 200;

interface NewMarkRow extends SessionKey {
  readonly reader: string;
  readonly upTo: number;
}

/** Stores a mark, and returns the event that it is at: a mark never goes back. */
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
    ...[agent, session, agent, session, reader, MOST_READERS - 1],
  );
  return set?.upTo ?? upTo;
}

/** Forgets the marks of a session. */
export function forgetMarks(
  { sql }: Pick<DurableObjectStorage, 'sql'>,
  { agent, session }: SessionKey,
): void {
  sql.exec('DELETE FROM marks WHERE agent = ? AND session = ?', agent, session);
}
