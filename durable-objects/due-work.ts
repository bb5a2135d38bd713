import { type OfferedRow, takeDueRows } from './agenda.ts';
import { findTurnDueTime, listDueRefs, restartRetention, scheduleAlarm } from './alarms.ts';
import { expireBlobs } from './blobs.ts';
import { expireWait, isCancelled } from './inbox.ts';
import type { LedgerScope } from './session-storage.ts';
import { pauseAfterSilence } from './take-overs.ts';
import { queueDueTurns, startNext } from './waiting-turns.ts';

/** The due work that an alarm hands to a runner. */
export interface DueWork {
  readonly turns: readonly string[];
  /** Rows for the modules that wrote them, or that have stale copies in external stores. */
  readonly rows: readonly OfferedRow[];
}

/**
 * Does the due work, sets the next alarm, and returns the work to hand to a runner now. If the session was
 * erased, only stale copies of blobs in external stores can be due.
 */
export function doDueWork(scope: LedgerScope): DueWork {
  if (listDueRefs(scope, 'retention').length > 0) restartRetention(scope);
  queueDueTurns(scope);
  startNext(scope);
  for (const wait of listDueRefs(scope, 'expiry')) expireWait(scope, wait);
  expireBlobs(scope);
  const turns = takeDueTurn(scope);
  const rows = takeDueRows(scope);
  scheduleAlarm(scope);
  return { turns, rows };
}

/**
 * Returns how many ms the open turn stays with a holder that no longer responds. If earlier holders also
 * stopped responding, this includes a pause, unless the turn was cancelled and only has to end.
 */
export function computeMsUntilOffer({ storage, clock, now }: LedgerScope, turn: string): number {
  if (storage.lease().state !== 'held') return 0;
  const pause = isCancelled(storage, turn) ? 0 : pauseAfterSilence(storage, clock);
  return Math.max(0, clock.deadline + pause - now());
}

/**
 * Returns whether this is the open turn and its holder no longer responds, so that any invocation can take it
 * over now.
 */
export function isAbandoned(scope: LedgerScope, turn: string): boolean {
  const lease = scope.storage.lease();
  return lease.turn === turn && lease.state === 'held' && computeMsUntilOffer(scope, turn) === 0;
}

/**
 * Returns the open turn if it needs a holder now. It becomes due again after a term, so that a lost hand-over
 * is repeated.
 */
function takeDueTurn(scope: LedgerScope): readonly string[] {
  const { storage, clock, now } = scope;
  const lease = storage.lease();
  const { turn } = lease;
  const due = findTurnDueTime(scope);
  if (turn === null || due === null || due > now()) return [];
  const left = computeMsUntilOffer(scope, turn);
  storage.setLease({ ...lease, due: now() + (left || clock.ms) });
  return left === 0 ? [turn] : [];
}
