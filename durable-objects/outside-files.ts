/** Copies of files in a store outside: which of them are to be deleted there, and when the store is asked. */
import type { StoreDeletion } from '../src/journal/turn-runner.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import { incarnationOf, type LedgerScope, NEVER } from './session-storage.ts';

/** What an alarm asks of the store; the session's name is not known here. */
export type DueDeletion = Omit<StoreDeletion, 'name'>;

/** One incarnation of the session has one row, whose `ref` says all of this. */
interface Row {
  readonly incarnation: string;
  /** How often the store was asked in vain. */
  readonly attempts: number;
  readonly due: number;
}

/** A store that fails is asked again after so many ms, and each time after twice as many, up to a day. */
const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 24 * 60 * 60_000;

/** The most copies that one call deletes: a store may need a subrequest for each, and the free plan has 50. */
const MOST_COPIES = 40;

/**
 * Remembers that a store outside may hold files of the session. A tool puts bytes there before an event names them, so the row exists
 * before the first file is known, and is due when something is to be deleted.
 */
export function rememberStore(scope: LedgerScope): void {
  if (scope.storesOutside && !find(scope))
    store(scope, { incarnation: current(scope), attempts: 0, due: NEVER });
}

/** Copies of deleted files are to be deleted in the store as well. */
export function scheduleCopies(scope: LedgerScope): void {
  const row = find(scope);
  if (row) store(scope, { ...row, due: Math.min(row.due, afterZombies(scope)) });
}

/**
 * Erases the session, but for the rows of its agenda that have its files deleted in the store outside. Must not be called in a
 * transaction.
 */
export function eraseSession(scope: LedgerScope): void {
  const { storage } = scope;
  const incarnation = current(scope);
  const due = afterZombies(scope);
  const rows = all(scope).map((row) =>
    row.incarnation === incarnation ? { ...row, attempts: 0, due } : row,
  );
  storage.erase(rows.map(toAlarm));
  if (rows.length > 0) scheduleAlarm(scope);
}

/**
 * A holder that does not know yet of an erasure acts for three quarters of a term at the most, and what it puts into the store then may
 * take as long to arrive as a term has left.
 */
const afterZombies = ({ clock, now }: LedgerScope): number => now() + clock.ms * 1.25;

/** Returns what to ask of the store now. It is due again in case the store fails. */
export const takeDueDeletions = (scope: LedgerScope): DueDeletion[] =>
  dueRefs(scope, 'files').flatMap((ref): DueDeletion[] => {
    const { incarnation, attempts } = fromRef(ref);
    const isErased = scope.storage.head() === 0 || incarnation !== current(scope);
    const copies = isErased ? undefined : scope.storage.files.staleCopies(MOST_COPIES);
    if (copies?.length === 0) {
      store(scope, { incarnation, attempts: 0, due: NEVER });
      return [];
    }
    const attempt = attempts + 1;
    const nextAfter = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
    store(scope, { incarnation, attempts: attempt, due: scope.now() + nextAfter });
    return [{ incarnation, ...(copies && { copies }), attempt, nextAfter }];
  });

/** The store has deleted these. Without a session the last row leaves an empty database. Must not be called in a transaction. */
export function settleDeletion(scope: LedgerScope, { incarnation, copies }: DueDeletion): void {
  const { storage, now } = scope;
  const row = find(scope, incarnation);
  const isErased = storage.head() === 0 || incarnation !== current(scope);
  // Of a session that was erased while its store deleted some copies, all are still to be deleted.
  if (!row || (copies === undefined) !== isErased) return;
  storage.transaction(() => {
    if (copies === undefined) storage.alarms.remove('files', toAlarm(row).ref);
    else {
      storage.files.forgetCopies(copies);
      const isMore = storage.files.staleCopies(1).length > 0;
      store(scope, { incarnation, attempts: 0, due: isMore ? now() : NEVER });
    }
    scheduleAlarm(scope);
  });
  if (storage.head() === 0 && storage.alarms.all().length === 0) storage.erase([]);
}

const current = ({ storage }: LedgerScope): string => incarnationOf(storage.opening()) ?? '';

const all = ({ storage }: LedgerScope): Row[] =>
  storage.alarms.all().flatMap(({ kind, ref, due }) => (kind === 'files' ? [{ ...fromRef(ref), due }] : []));

/** Returns the row of an incarnation, which defaults to the current one. */
const find = (scope: LedgerScope, incarnation = current(scope)): Row | undefined =>
  all(scope).find((row) => row.incarnation === incarnation);

/** Replaces the row of the same incarnation. */
function store(scope: LedgerScope, row: Row): void {
  const { alarms } = scope.storage;
  const before = find(scope, row.incarnation);
  if (before) alarms.remove('files', toAlarm(before).ref);
  alarms.add(toAlarm(row));
  scheduleAlarm(scope);
}

const toAlarm = ({ incarnation, attempts, due }: Row) =>
  ({ kind: 'files', ref: JSON.stringify([incarnation, attempts]), due }) as const;

function fromRef(ref: string): Omit<Row, 'due'> {
  const [incarnation, attempts] = JSON.parse(ref) as [string, number]; // written by toAlarm
  return { incarnation, attempts };
}
