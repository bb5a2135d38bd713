import type { Deferred, NewRow, NotStarted, TurnStart } from '../src/journal/session-port.ts';
import { arm, wake } from './agenda.ts';
import type { LedgerScope } from './ledger-scope.ts';
import { retain, retainForEver } from './retention.ts';
import { toStoredRows } from './stored-rows.ts';
import { defer, steeredInto, waitsAs } from './waiting-turns.ts';

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
