/** Copies of bytes in a store outside that a module has: which of them are stale, and when the module is offered them. */
import type { AgendaOwner, DueOutcome, StaleCopies } from '../src/journal/agenda.ts';
import type { OfferedRow } from './agenda.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import { incarnationOf, type LedgerScope, NEVER } from './session-storage.ts';

/** An offered row that says what is stale outside. */
export interface OfferedStale extends OfferedRow {
  readonly stale: StaleCopies;
}

/** A module has one row for each incarnation of the session, whose `ref` says all of this. */
interface Row extends AgendaOwner {
  readonly incarnation: string;
  /** How often the row was offered in vain. */
  readonly attempts: number;
  readonly due: number;
}

/** A module that fails is asked again after so many ms, and each time after twice as many, up to a day. */
const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 24 * 60 * 60_000;

/** The most copies that one call deletes: a store may need a subrequest for each, and the free plan has 50. */
const MOST_COPIES = 40;

/**
 * Remembers that a module may have bytes of the session in a store outside. A tool puts bytes there before an event names them, so the
 * row exists before the first file is known, and is due when something is to be deleted.
 */
export function rememberStore(scope: LedgerScope, { module, key }: AgendaOwner): void {
  const row = { module, key, incarnation: current(scope) };
  if (scope.storesOutside && !find(scope, row)) store(scope, { ...row, attempts: 0, due: NEVER });
}

/** Copies of deleted files are to be deleted in the store as well. */
export function scheduleCopies(scope: LedgerScope): void {
  const incarnation = current(scope);
  for (const row of all(scope))
    if (row.incarnation === incarnation)
      store(scope, { ...row, due: Math.min(row.due, afterZombies(scope)) });
}

/**
 * Erases the session, but for the rows of its agenda that have its copies deleted in stores outside. Must not be called in a
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

/** Returns what is to be deleted outside now. It is due again in case the module fails. */
export const takeStale = (scope: LedgerScope): OfferedStale[] =>
  dueRefs(scope, 'outside').flatMap((stored): OfferedStale[] => {
    const { attempts, ...row } = fromRef(stored);
    const { module, key, incarnation } = row;
    const isErased = scope.storage.head() === 0 || incarnation !== current(scope);
    const copies = isErased ? undefined : scope.storage.files.staleCopies(MOST_COPIES);
    if (copies?.length === 0) {
      store(scope, { ...row, attempts: 0, due: NEVER });
      return [];
    }
    const attempt = attempts + 1;
    const nextAfter = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
    store(scope, { ...row, attempts: attempt, due: scope.now() + nextAfter });
    return [{ module, key, ref: incarnation, attempt, stale: { incarnation, ...(copies && { copies }) } }];
  });

/**
 * Stores the outcome of an offer: these copies are deleted, unless they are to be offered again. Without a session the last row leaves an empty
 * database. Must not be called in a transaction.
 */
export function settleStale(
  scope: LedgerScope,
  { module, key, stale: { incarnation, copies } }: OfferedStale,
  outcome: DueOutcome,
): void {
  if (outcome === 'unknown') return; // the next offer is planned already
  const { storage, now } = scope;
  const row = find(scope, { module, key, incarnation });
  const isErased = storage.head() === 0 || incarnation !== current(scope);
  // Of a session that was erased while its store deleted some copies, all are still to be deleted.
  if (!row || (copies === undefined) !== isErased) return;
  storage.transaction(() => {
    if (typeof outcome === 'object') store(scope, { ...row, due: now() + outcome.again });
    else if (copies === undefined) storage.alarms.remove('outside', toAlarm(row).ref);
    else {
      storage.files.forgetCopies(copies);
      const isMore = storage.files.staleCopies(1).length > 0;
      store(scope, { ...row, attempts: 0, due: isMore ? now() : NEVER });
    }
    scheduleAlarm(scope);
  });
  if (storage.head() === 0 && storage.alarms.all().length === 0) storage.erase([]);
}

const current = ({ storage }: LedgerScope): string => incarnationOf(storage.opening()) ?? '';

const all = ({ storage }: LedgerScope): Row[] =>
  storage.alarms
    .all()
    .flatMap(({ kind, ref, due }) => (kind === 'outside' ? [{ ...fromRef(ref), due }] : []));

/** Which row it is. */
type RowKey = Omit<Row, 'attempts' | 'due'>;

const find = (scope: LedgerScope, { module, key, incarnation }: RowKey): Row | undefined =>
  all(scope).find((row) => row.module === module && row.key === key && row.incarnation === incarnation);

/** Replaces the row of the same module and incarnation. */
function store(scope: LedgerScope, row: Row): void {
  const { alarms } = scope.storage;
  const before = find(scope, row);
  if (before) alarms.remove('outside', toAlarm(before).ref);
  alarms.add(toAlarm(row));
  scheduleAlarm(scope);
}

const toAlarm = ({ incarnation, attempts, module, key, due }: Row) =>
  ({ kind: 'outside', ref: JSON.stringify([incarnation, attempts, module, key]), due }) as const;

function fromRef(ref: string): Omit<Row, 'due'> {
  const [incarnation, attempts, module, key] = JSON.parse(ref) as [string, number, string, string]; // written by toAlarm
  return { incarnation, attempts, module, key };
}
