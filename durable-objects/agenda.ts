/** The agenda of modules: rows that came with appends, each offered to a Worker until it is done. The object knows no module. */
import type { AgendaOwner, AgendaRow, DueOutcome, DueRow, StaleCopies } from '../src/journal/agenda.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import { type Alarm, incarnationIn, type LedgerScope, NEVER } from './session-storage.ts';

/** A row that an alarm offers; the session's name is not known here. */
export type OfferedRow = Omit<DueRow, 'name'>;

/** The rows of one key of one module, in order. They share the `ref` of one alarm, so that the first is settled before the next. */
interface Lane extends LaneKey {
  /** How often the first row was offered to a Worker that has the module. */
  readonly attempts: number;
  /** How often in a row no Worker had it. */
  readonly misses: number;
  readonly refs: readonly string[];
}

/** The key of a lane within its module. */
interface LaneKey extends AgendaOwner {
  /**
   * Of the lane for blobs that the module has in a store outside: the incarnation of the session that put them there, which is its only
   * row. It outlives the session.
   */
  readonly outside?: string | undefined;
}

/** A lane holds no more rows than this: the oldest are forgotten, except the first, which may be under way. */
const MOST_ROWS = 100;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An unanswered offer is repeated after this pause, which doubles each time up to an hour. No attempt may take longer. */
const FIRST_PAUSE = MINUTE;
const LONGEST_PAUSE = HOUR;

/** A row whose module the Worker lacks is offered again after this pause, which doubles each time up to a day. */
const FIRST_PAUSE_WITHOUT = HOUR;
const LONGEST_PAUSE_WITHOUT = 24 * HOUR;

/**
 * Adds rows at the end of their lanes. A row that is in its lane already is not added again, except the first one if it was offered: the
 * work may have been done before what the new row is about.
 */
export function addToAgenda(scope: LedgerScope, rows: readonly AgendaRow[]): void {
  for (const { module, key, ref, after = 0 } of rows) {
    const fresh: Lane = { module, key, ...UNTRIED, refs: [] };
    const [due, lane] = find(scope, fresh) ?? [scope.now() + after, fresh];
    if (lane.refs.includes(ref, lane.attempts && 1)) continue;
    const [first, ...rest] = [...lane.refs, ref];
    if (rest.length >= MOST_ROWS) logError(`module ${module} ${key} ${HAS_TOO_MANY}`);
    store(scope, { ...lane, refs: first === undefined ? [] : [first, ...rest.slice(1 - MOST_ROWS)] }, due);
  }
  scheduleAlarm(scope);
}

const HAS_TOO_MANY = `has more than ${MOST_ROWS} rows due in one session: the oldest are forgotten`;

/** The counts of a lane whose first row was not offered yet. */
const UNTRIED = { attempts: 0, misses: 0 };

/** Returns the rows whose time has come, each the first of its lane. They are due again in case no one answers. */
export const takeDueRows = (scope: LedgerScope): OfferedRow[] =>
  dueRefs(scope, 'due').flatMap((stored) => {
    const lane = fromRef(stored);
    const { module, key, attempts, outside } = lane;
    const stale = outside === undefined ? undefined : staleOf(scope, outside);
    if (stale?.copies?.length === 0) {
      store(scope, { ...lane, ...UNTRIED }, NEVER);
      return [];
    }
    const attempt = attempts + 1;
    store(scope, { ...lane, attempts: attempt }, scope.now() + doubled(FIRST_PAUSE, attempts, LONGEST_PAUSE));
    return lane.refs.slice(0, 1).map((ref) => ({ module, key, ref, attempt, ...(stale && { stale }) }));
  });

/** The most copies that one row lists: a store may need a subrequest for each, and the free plan has 50. */
const MOST_COPIES = 40;

/** Returns what of an incarnation is stale outside: copies of removed blobs, or all of it once it was erased. */
function staleOf({ storage }: LedgerScope, incarnation: string): StaleCopies {
  const isErased = storage.head() === 0 || incarnation !== incarnationIn(storage);
  return { incarnation, ...(!isErased && { copies: storage.blobs.stale(MOST_COPIES) }) };
}

/** Stores the outcome of an offer. Ignores it if the row was offered again meanwhile, or is not the first of its lane. */
export function settleRow(scope: LedgerScope, row: OfferedRow, outcome: DueOutcome): void {
  const { module, key, stale } = row;
  const [, lane] = find(scope, { module, key, outside: stale?.incarnation }) ?? [];
  if (lane === undefined || lane.refs[0] !== row.ref || lane.attempts !== row.attempt) return;
  // Of a session that was erased while some copies were deleted, all are still to be deleted.
  if (stale?.copies && staleOf(scope, stale.incarnation).copies === undefined) return;
  const { attempts, misses, refs } = lane;
  const now = scope.now();
  if (outcome === 'unknown') {
    const pause = doubled(FIRST_PAUSE_WITHOUT, misses, LONGEST_PAUSE_WITHOUT);
    store(scope, { ...lane, attempts: attempts - 1, misses: misses + 1 }, now + pause);
  } else if (typeof outcome === 'object') {
    store(scope, { ...lane, misses: 0 }, now + outcome.again);
  } else {
    const copies = stale?.copies;
    if (copies) scope.storage.blobs.forgetStale(copies);
    // A lane for what is outside stays, and sleeps once nothing is stale.
    store(scope, { ...lane, ...UNTRIED, refs: copies ? refs : outcome === 'done' ? refs.slice(1) : [] }, now);
  }
  scheduleAlarm(scope);
}

/**
 * Remembers that a module may have blobs of the session in a store outside. A tool puts bytes there before an event names them, so the
 * lane exists before the first blob is known, and is due when something is to be deleted.
 */
export function rememberOutside(scope: LedgerScope, { module, key }: AgendaOwner): void {
  const outside = incarnationIn(scope.storage);
  const lane = { module, key, outside };
  if (!find(scope, lane)) store(scope, { ...lane, ...UNTRIED, refs: [outside] }, NEVER);
}

/** Copies of removed blobs are to be deleted in the stores as well. */
export function wakeOutside(scope: LedgerScope): void {
  const until = afterZombies(scope);
  for (const { due, ...alarm } of scope.storage.alarms.all()) {
    const lane = laneOf(alarm);
    if (lane?.outside === incarnationIn(scope.storage)) store(scope, lane, Math.min(due, until));
  }
  scheduleAlarm(scope);
}

/** Erases the session, but for the lanes of modules that have blobs of it in stores outside. Must not be called in a transaction. */
export function eraseSession(scope: LedgerScope): void {
  const { storage } = scope;
  const current = incarnationIn(storage);
  const due = afterZombies(scope);
  const rows = storage.alarms.all().flatMap((alarm) => {
    const lane = laneOf(alarm);
    if (lane?.outside === undefined) return [];
    return lane.outside === current ? { ...alarm, ref: toRef({ ...lane, ...UNTRIED }), due } : alarm;
  });
  storage.erase(rows);
  if (rows.length > 0) scheduleAlarm(scope);
}

/**
 * A holder that does not know yet of an erasure acts for three quarters of a term at the most, and what it puts into the store then may
 * take as long to arrive as a term has left.
 */
const afterZombies = ({ clock, now }: LedgerScope): number => now() + clock.ms * 1.25;

const doubled = (first: number, times: number, most: number): number => Math.min(first * 2 ** times, most);

function find(
  { storage }: LedgerScope,
  { module, key, outside }: LaneKey,
): readonly [due: number, lane: Lane] | undefined {
  for (const alarm of storage.alarms.all()) {
    const lane = laneOf(alarm);
    if (lane?.module === module && lane.key === key && lane.outside === outside) return [alarm.due, lane];
  }
  return undefined;
}

const laneOf = ({ kind, ref }: Pick<Alarm, 'kind' | 'ref'>): Lane | undefined =>
  kind === 'due' ? fromRef(ref) : undefined;

/** Replaces the stored lane of the same module and key; removes one without rows. */
function store(scope: LedgerScope, lane: Lane, due: number): void {
  const { alarms } = scope.storage;
  const [, before] = find(scope, lane) ?? [];
  if (before) alarms.remove('due', toRef(before));
  if (lane.refs.length > 0) alarms.add({ kind: 'due', ref: toRef(lane), due });
}

/** The alarm of a lane has all of it as its `ref`. */
const toRef = (lane: Lane): string => JSON.stringify(lane);

const fromRef = (ref: string): Lane => JSON.parse(ref) as Lane; // written by toRef

/** Writes a problem to the console, as one JSON object: an object knows no app, whose log could have it. */
export const logError = (message: string): void =>
  console.error(JSON.stringify({ level: 'error', event: 'other', message }));
