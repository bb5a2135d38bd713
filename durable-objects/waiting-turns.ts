import type {
  Deferred,
  NewRow,
  NotStarted,
  ScheduledTurn,
  TurnStart,
  WaitingKind,
  WaitingTurn,
} from '../src/journal/session-port.ts';
import { arm, retain, retainForEver, wake } from './agenda.ts';
import type { LedgerScope } from './lease-term.ts';
import type { SessionStorage, WaitingRow } from './session-storage.ts';
import { toStoredRows } from './stored-rows.ts';

/**
 * As many messages may wait in a session for those before them, and as many for their time: each is kept whole, and nobody
 * waits for the last of more. Counted apart, so that what is for next year keeps nothing out that is for now.
 */
export const MOST_WAITING = 100;

/** It starts when those before it have ended; a message for the open turn does if that takes it in no more. */
const isNext = ({ kind }: WaitingRow): boolean => kind !== 'scheduled';

/** How long it is known into which turn a message went, in ms: longer than any key by which it is asked for, which a test pins. */
export const STEERED_TTL = 8 * 24 * 60 * 60_000;

const steeredKey = (turn: string): string => `steered ${turn}`;

const STATUSES: Readonly<Record<WaitingKind, WaitingTurn['status']>> = {
  message: 'queued',
  steer: 'steering',
  scheduled: 'scheduled',
};

/** The turns that wait: in the order in which they start, and then those that wait for their time. */
export function waitingTurns(storage: Pick<SessionStorage, 'waiting'>): WaitingTurn[] {
  const rows = storage.waiting();
  const later = rows.filter((row) => !isNext(row));
  return [...rows.filter(isNext), ...later].map(({ turn, kind }) => ({ turn, status: STATUSES[kind] }));
}

/** How this turn waits; `null` when it does not. */
export function waitsAs(storage: SessionStorage, turn: string): Deferred | null {
  const row = storage.waiting().find((one) => one.turn === turn);
  switch (row?.kind) {
    case undefined:
      return null;
    case 'message':
      return { status: 'queued', turn };
    case 'steer':
      return { status: 'steering', turn, into: storage.lease().turn ?? turn };
    case 'scheduled': {
      const entry = storage.agenda().find(({ kind, ref }) => kind === 'start' && ref === turn);
      return { status: 'scheduled', turn, at: entry?.due ?? 0 };
    }
  }
}

/** Stores a turn that is for later; `null` when it is to start now, or is refused as one that is not for later would be. */
function defer(
  storage: SessionStorage,
  { turn, started, whenBusy, delayMs }: TurnStart,
  now: number,
): Deferred | Extract<NotStarted, { status: 'full' }> | null {
  const kind = delayMs !== undefined ? 'scheduled' : whenBusy === 'steer' ? 'steer' : 'message';
  const { turn: open, state } = storage.lease();
  if (kind !== 'scheduled' && (open === null || whenBusy === undefined)) return null;
  // "Stop, that is wrong" would reach the model only when what it is about was approved, and done.
  if (kind === 'steer' && state === 'suspended') return null;
  const alike = storage.waiting().filter((row) => isNext(row) === (kind !== 'scheduled'));
  if (alike.length >= MOST_WAITING) return { status: 'full', most: MOST_WAITING };
  storage.addInbox(kind, turn, started.body);
  if (delayMs !== undefined) storage.schedule({ kind: 'start', ref: turn, due: now + delayMs });
  return waitsAs(storage, turn);
}

/** These messages were taken into the open turn. Their own rows go, so that it is kept here for whoever sends one again. */
export function keepSteered(storage: SessionStorage, read: readonly number[], now: number): void {
  const into = storage.lease().turn;
  for (const { id, kind, turn } of into === null ? [] : storage.waiting()) {
    if (kind !== 'steer' || !read.includes(id)) continue;
    const key = steeredKey(turn);
    storage.addRequest({ key, bodyHash: '', turn: into ?? '', seq: 0, expires: now + STEERED_TTL });
  }
}

/** The turn that took in a message which would have been this one; `null` for any other. */
const steeredInto = (storage: SessionStorage, turn: string): string | null =>
  storage.request(steeredKey(turn))?.turn ?? null;

/** Stores the turns that a call of this session has scheduled. Their number is bounded by that of the calls of a turn. */
export function scheduleTurns(
  storage: SessionStorage,
  scheduled: readonly ScheduledTurn[],
  now: number,
): void {
  for (const { started, after } of scheduled) {
    storage.addInbox('scheduled', started.turn, started.body);
    storage.schedule({ kind: 'start', ref: started.turn, due: now + after });
  }
}

/** The scheduled turns whose time has come get in line behind those that wait already. */
export function queueDue(storage: SessionStorage, now: number): void {
  for (const { kind, ref, due } of storage.agenda()) {
    if (kind !== 'start' || due > now) continue;
    storage.unschedule('start', ref);
    const row = storage.waiting().find(({ turn }) => turn === ref);
    if (row) storage.addInbox('message', ref, storage.takeWaiting(row.id));
  }
}

/** When no turn is open, the first of those that wait is started: it is answered, and needs a holder. */
export function startNext(storage: SessionStorage, now: number): string | null {
  const lease = storage.lease();
  const next = storage.waiting().find(isNext);
  if (lease.turn !== null || !next) return null;
  const { turn } = next;
  const started = { type: 'turn-started', turn, body: storage.takeWaiting(next.id) };
  storage.addEvents(toStoredRows([started], { epoch: 0, from: storage.head() + 1, at: now }));
  storage.setLease({ ...lease, turn, state: 'free', expired: 0, grace: null });
  return turn;
}

/** What a caller is told to wait when nobody holds the turn in its way. */
const SOON_MS = 1_000;

/**
 * Why a turn does not start now, or `null` when it is to be stored and started. One that is for later is stored here; one that
 * is stored already is `known`, with or without a key.
 */
export function whyNotNow(scope: LedgerScope, start: TurnStart): Deferred | NotStarted | null {
  return known(scope, start) ?? deferred(scope, start) ?? occupied(scope);
}

/** What became of a turn, or of another one under its key, that was stored before. */
function known({ storage, now }: LedgerScope, { turn, request }: TurnStart): Deferred | NotStarted | null {
  if (request !== undefined) storage.forgetRequests(now());
  const taken = request === undefined ? null : storage.request(request.key);
  if (taken !== null && taken.bodyHash !== request?.bodyHash) return { status: 'key-reused' };
  const stored = taken?.turn ?? turn;
  const waits = waitsAs(storage, stored);
  if (waits !== null) return waits;
  const into = steeredInto(storage, stored);
  if (into !== null) return { status: 'known', turn: stored, into };
  const isStored = taken !== null || storage.turnStart(stored) !== null;
  return isStored ? { status: 'known', turn: stored } : null;
}

function deferred(scope: LedgerScope, start: TurnStart): ReturnType<typeof defer> {
  const { storage, term, now } = scope;
  const answer = defer(storage, start, now());
  if (answer === null || answer.status === 'full') return answer;
  open(scope, start);
  remember(scope, start, 0);
  const { turn, state } = storage.lease();
  // Somebody waits for it now.
  if (turn !== null && state !== 'suspended' && !term.isLive) wake(scope, turn);
  else arm(scope);
  return answer;
}

/** Why nobody can have the session now; `null` when no turn is open. */
function occupied(scope: LedgerScope): NotStarted | null {
  const { turn, state } = scope.storage.lease();
  if (turn === null) return null;
  return state === 'suspended' ? { status: 'suspended', turn } : busy(scope, turn);
}

/** The open turn has a holder, or is about to get one. */
export function busy(scope: LedgerScope, turn: string): Extract<NotStarted, { status: 'busy' }> {
  const { term, now } = scope;
  if (term.isLive) return { status: 'busy', turn, retryAfter: term.deadline - now() };
  wake(scope, turn);
  return { status: 'busy', turn, retryAfter: SOON_MS };
}

/** Stores a turn that starts now. */
export function storeStart(scope: LedgerScope, start: TurnStart): void {
  open(scope, start);
  addEvent(scope, start.started);
  remember(scope, start, scope.storage.head());
}

/** The first that is stored of a session. */
function open(scope: LedgerScope, { opening }: TurnStart): void {
  const { storage, firstEpoch } = scope;
  if (storage.head() > 0) return;
  storage.setLease({ ...storage.lease(), epoch: firstEpoch() });
  addEvent(scope, opening);
}

function addEvent({ storage, now }: LedgerScope, row: NewRow): void {
  storage.addEvents(toStoredRows([row], { epoch: 0, from: storage.head() + 1, at: now() }));
}

/** Under which key the turn is known again, and for how long the session is kept. */
function remember(scope: LedgerScope, { turn, request, retainMs }: TurnStart, seq: number): void {
  const { storage, now } = scope;
  if (request !== undefined) {
    const { key, bodyHash, ttl } = request;
    storage.addRequest({ key, bodyHash, turn, seq, expires: now() + ttl });
  }
  if (retainMs === undefined) retainForEver(scope);
  else retain(scope, retainMs);
}
