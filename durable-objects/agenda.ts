/**
 * The agenda of modules: rows stored with appends, each offered to a Worker until it is done. It does not
 * depend on specific modules.
 */
import type { AgendaOwner, AgendaRow, DueOutcome, DueRow, StaleCopies } from '../src/journal/agenda.ts';
import { listDueRefs, scheduleAlarm } from './alarms.ts';
import { type Alarm, getIncarnation, type LedgerScope, NEVER } from './session-storage.ts';

/** A row that an alarm offers. The caller adds the session's name. */
export type OfferedRow = Omit<DueRow, 'name'>;

/**
 * The rows of one key of one module, in order. They are stored together as the `ref` of one alarm, so that
 * the first row settles before the next is offered.
 */
interface Lane extends LaneKey {
  /** How many times the first row was offered to a Worker that has the module. */
  readonly attempts: number;
  /** How many consecutive times the Worker lacked the module. */
  readonly misses: number;
  readonly refs: readonly string[];
}

/** The key of a lane within its module. */
interface LaneKey extends AgendaOwner {
  /**
   * Set for the lane of a module's blobs in an external store: the incarnation of the session that stored
   * them. It is also the lane's only row. The lane outlives the session.
   */
  readonly outside?: string | undefined;
}

/** The maximum number of rows in a lane. The oldest are dropped, except the first, which may be running. */
const MAX_ROWS = 100;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The first pause before an offer without a response is repeated. Pauses double up to an hour. An attempt
 * must not take longer than the first pause.
 */
const FIRST_PAUSE_MS = MINUTE_MS;
const MAX_PAUSE_MS = HOUR_MS;

/**
 * The first pause before a row is offered again to a Worker without its module. Pauses double up to a day.
 */
const FIRST_PAUSE_WITHOUT_MODULE_MS = HOUR_MS;
const MAX_PAUSE_WITHOUT_MODULE_MS = 24 * HOUR_MS;

/**
 * Adds rows at the end of their lanes. A row that is already in its lane is not added again, unless it is the
 * first and was offered: its work may have run before the reason for the new row.
 */
export function addToAgenda(scope: LedgerScope, rows: readonly AgendaRow[]): void {
  for (const { module, key, ref, after = 0 } of rows) {
    const fresh: Lane = { module, key, ...NO_ATTEMPTS, refs: [] };
    const [due, lane] = findLane(scope, fresh) ?? [scope.now() + after, fresh];
    if (lane.refs.includes(ref, lane.attempts && 1)) continue;
    const [first, ...rest] = [...lane.refs, ref];
    if (rest.length >= MAX_ROWS) logError(`module ${module} ${key} ${TOO_MANY_ROWS_MESSAGE}`);
    storeLane(scope, { ...lane, refs: first === undefined ? [] : [first, ...rest.slice(1 - MAX_ROWS)] }, due);
  }
  scheduleAlarm(scope);
}

const TOO_MANY_ROWS_MESSAGE = `has more than ${MAX_ROWS} rows due in one session, so the oldest are dropped`;

/** The counts of a lane whose first row was not offered yet. */
const NO_ATTEMPTS = { attempts: 0, misses: 0 };

/** Returns the due rows, each the first of its lane. They become due again if there is no reply. */
export const takeDueRows = (scope: LedgerScope): OfferedRow[] =>
  listDueRefs(scope, 'due').flatMap((stored) => {
    const lane = parseRef(stored);
    const { module, key, attempts, outside } = lane;
    const stale = outside === undefined ? undefined : listStaleCopies(scope, outside);
    if (stale?.copies?.length === 0) {
      storeLane(scope, { ...lane, ...NO_ATTEMPTS }, NEVER);
      return [];
    }
    const attempt = attempts + 1;
    storeLane(
      scope,
      { ...lane, attempts: attempt },
      scope.now() + computeBackoff(FIRST_PAUSE_MS, attempts, MAX_PAUSE_MS),
    );
    return lane.refs.slice(0, 1).map((ref) => ({ module, key, ref, attempt, ...(stale && { stale }) }));
  });

/**
 * The maximum number of copies in one row. A store can need a subrequest for each, and the free plan has 50.
 */
const MAX_COPIES = 40;

/**
 * Returns the stale external data of an incarnation: copies of removed blobs, or all copies if it was erased.
 */
function listStaleCopies({ storage }: LedgerScope, incarnation: string): StaleCopies {
  const isErased = storage.head() === 0 || incarnation !== getIncarnation(storage);
  return { incarnation, ...(!isErased && { copies: storage.blobs.stale(MAX_COPIES) }) };
}

/**
 * Stores the outcome of an offer. Ignores it if the row was offered again meanwhile, or is no longer the
 * first of its lane.
 */
export function settleRow(scope: LedgerScope, row: OfferedRow, outcome: DueOutcome): void {
  const { module, key, stale } = row;
  const [, lane] = findLane(scope, { module, key, outside: stale?.incarnation }) ?? [];
  if (lane === undefined || lane.refs[0] !== row.ref || lane.attempts !== row.attempt) return;
  // The session was erased while some of its copies were being deleted, so all are stale now.
  if (stale?.copies && listStaleCopies(scope, stale.incarnation).copies === undefined) return;
  const { attempts, misses, refs } = lane;
  const now = scope.now();
  if (outcome === 'unknown') {
    const pause = computeBackoff(FIRST_PAUSE_WITHOUT_MODULE_MS, misses, MAX_PAUSE_WITHOUT_MODULE_MS);
    storeLane(scope, { ...lane, attempts: attempts - 1, misses: misses + 1 }, now + pause);
  } else if (typeof outcome === 'object') {
    storeLane(scope, { ...lane, misses: 0 }, now + outcome.again);
  } else {
    const copies = stale?.copies;
    if (copies) scope.storage.blobs.forgetStale(copies);
    // A lane for external copies remains until another copy is stale.
    storeLane(
      scope,
      { ...lane, ...NO_ATTEMPTS, refs: copies ? refs : outcome === 'done' ? refs.slice(1) : [] },
      now,
    );
  }
  scheduleAlarm(scope);
}

/**
 * Records that a module may have blobs of the session in an external store. A tool stores bytes there before
 * an event refers to them, so the lane must exist before the first blob is known. It becomes due when there
 * are copies to delete.
 */
export function addOutsideLane(scope: LedgerScope, { module, key }: AgendaOwner): void {
  const outside = getIncarnation(scope.storage);
  const lane = { module, key, outside };
  if (!findLane(scope, lane)) storeLane(scope, { ...lane, ...NO_ATTEMPTS, refs: [outside] }, NEVER);
}

/** Schedules the deletion of stale copies in external stores, for the earliest safe time. */
export function scheduleOutsideDeletion(scope: LedgerScope): void {
  const until = computeSafeDeletionTime(scope);
  for (const { due, ...alarm } of scope.storage.alarms.all()) {
    const lane = findDueLane(alarm);
    if (lane?.outside === getIncarnation(scope.storage)) storeLane(scope, lane, Math.min(due, until));
  }
  scheduleAlarm(scope);
}

/**
 * Erases the session, except for the lanes of modules with its blobs in external stores. Must not be called
 * in a transaction.
 */
export function eraseSession(scope: LedgerScope): void {
  const { storage } = scope;
  const current = getIncarnation(storage);
  const due = computeSafeDeletionTime(scope);
  const rows = storage.alarms.all().flatMap((alarm) => {
    const lane = findDueLane(alarm);
    if (lane?.outside === undefined) return [];
    return lane.outside === current ? { ...alarm, ref: toRef({ ...lane, ...NO_ATTEMPTS }), due } : alarm;
  });
  storage.erase(rows);
  if (rows.length > 0) scheduleAlarm(scope);
}

/**
 * Returns the time after which former lease holders cannot add external copies. A holder that is unaware of
 * an erasure acts for at most three quarters of a term, and its uploads can take the rest of the term to
 * arrive.
 */
const computeSafeDeletionTime = ({ clock, now }: LedgerScope): number => now() + clock.ms * 1.25;

const computeBackoff = (first: number, times: number, most: number): number =>
  Math.min(first * 2 ** times, most);

function findLane(
  { storage }: LedgerScope,
  { module, key, outside }: LaneKey,
): readonly [due: number, lane: Lane] | undefined {
  for (const alarm of storage.alarms.all()) {
    const lane = findDueLane(alarm);
    if (lane?.module === module && lane.key === key && lane.outside === outside) return [alarm.due, lane];
  }
  return undefined;
}

const findDueLane = ({ kind, ref }: Pick<Alarm, 'kind' | 'ref'>): Lane | undefined =>
  kind === 'due' ? parseRef(ref) : undefined;

/** Stores or replaces the lane of a module and key. Removes it if it has no rows. */
function storeLane(scope: LedgerScope, lane: Lane, due: number): void {
  const { alarms } = scope.storage;
  const [, before] = findLane(scope, lane) ?? [];
  if (before) alarms.remove('due', toRef(before));
  if (lane.refs.length > 0) alarms.add({ kind: 'due', ref: toRef(lane), due });
}

/** Returns the `ref` of a lane's alarm, which contains the whole lane. */
const toRef = (lane: Lane): string => JSON.stringify(lane);

const parseRef = (ref: string): Lane => JSON.parse(ref) as Lane; // written by `toRef`

/** Logs a problem to the console as one JSON object. The object has no access to the app's log. */
export const logError = (message: string): void =>
  console.error(JSON.stringify({ level: 'error', event: 'other', message }));
