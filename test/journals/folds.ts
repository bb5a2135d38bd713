/** The folds of the stored sessions, which are recorded as hashes with the version of the reducer. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as v from 'valibot';
import type { SessionEvent, StoredEvent } from '../../src/journal/entry.ts';
import {
  createEmptyState,
  parseEvent,
  REDUCER_VERSION,
  reduce,
  toSnapshot,
  unpackEvents,
} from '../doors/journal.ts';
import { BUILT_IN_KINDS } from '../doors/kinds.ts';
import { SPENDING_MEMORY } from '../doors/loop.ts';
import type { Dump } from './dump.ts';
import { listVersions, readFolder } from './kept.ts';

/** The folds of one reducer. */
export interface Folds {
  readonly reducer: number;
  /** A hash of all possible snapshots, by journal. */
  readonly folds: Readonly<Record<string, string>>;
}

/** Folds all stored sessions with the code of this checkout. */
export function computeFolds(): Folds {
  const folds = listVersions().flatMap((version) =>
    [...readFolder(version).journals].map(
      ([name, { dump }]) => [`${version}/${name}`, hashFold(dump)] as const,
    ),
  );
  return { reducer: REDUCER_VERSION, folds: Object.fromEntries(folds) };
}

/** Returns the problem with the folds of this checkout, or `undefined` if they match the stored ones. */
export function findFoldProblem(kept: Folds, now: Folds): string | undefined {
  const changed = Object.keys(now.folds).filter(
    (name) => Object.hasOwn(kept.folds, name) && kept.folds[name] !== now.folds[name],
  );
  if (changed.length > 0 && kept.reducer === now.reducer)
    return (
      `The fold of ${changed.join(', ')} has changed, and snapshots that were stored before would go on with what it was: ` +
      'raise REDUCER_VERSION in src/journal/reduce.ts.'
    );
  const isSame = JSON.stringify(kept) === JSON.stringify(now);
  return isSame ? undefined : 'The folds of test/journals/folds.json are of before: npm run write-folds';
}

const FILE = join(import.meta.dirname, 'folds.json');
const form = v.strictObject({ reducer: v.number(), folds: v.record(v.string(), v.string()) });

export const readFolds = (): Folds => v.parse(form, JSON.parse(readFileSync(FILE, 'utf8')));
export const writeFolds = (folds: Folds): void => writeFileSync(FILE, `${JSON.stringify(folds, null, 2)}\n`);

const row = v.object({
  seq: v.number(),
  at: v.number(),
  type: v.string(),
  turn: v.string(),
  bytes: v.number(),
  lengths: v.nullable(v.string()),
  body: v.string(),
});

const EVENTS = `SELECT seq, at, type, turn, bytes, lengths, coalesce(body, (SELECT group_concat(CAST(body AS TEXT), '' ORDER BY part)
  FROM chunks WHERE owner = 'event' AND chunks.seq = events.seq)) AS body FROM events ORDER BY seq`;

/**
 * Hashes the snapshots of a journal. A snapshot is possible after each end of a turn, so this function ends
 * any open turn.
 */
function hashFold(dump: Dump): string {
  const state = createEmptyState();
  const hash = createHash('sha256');
  const foldEvent = (stored: SessionEvent & Pick<StoredEvent, 'seq'>): void => {
    reduce(state, stored, [...BUILT_IN_KINDS.memories, SPENDING_MEMORY]);
    if (stored.type === 'turn-ended') hash.update(toSnapshot(state));
  };
  for (const event of readEvents(dump)) foldEvent(event);
  const { turn, seq } = state;
  if (turn && !turn.outcome)
    foldEvent({ seq: seq + 1, type: 'turn-ended', turn: turn.id, outcome: 'failed' });
  return hash.digest('hex').slice(0, 16);
}

/** Returns all events of a stored session. */
export function readEvents({ sql }: Dump): readonly StoredEvent[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(`BEGIN; ${sql} COMMIT`);
    const rows = v.parse(v.array(row), database.prepare(EVENTS).all());
    return rows.flatMap(({ at, turn, ...packed }) =>
      unpackEvents(packed).map((event) => parseEvent({ ...event, at, turn })),
    );
  } finally {
    database.close();
  }
}
