import type { Change } from '../src/journal/session-port.ts';
import { arm, retainAnew, wake } from './agenda.ts';
import type { LedgerScope } from './lease-term.ts';
import { dropNotes, ownNotes } from './notes.ts';
import type { Lease } from './session-storage.ts';
import { startNext } from './waiting-turns.ts';

/** Gives the lease of the open turn back. A suspended turn that has an unread note is one that waits for a holder. */
export function release(
  scope: LedgerScope,
  lease: Lease,
  { release: how, resumeAfter = 0 }: Pick<Change, 'release' | 'resumeAfter'>,
): void {
  const { storage, now } = scope;
  const { turn } = lease;
  if (turn === null || how === undefined) return;
  const isAwaited = how === 'yielded' || (how === 'suspended' && ownNotes(storage, turn).length > 0);
  if (isAwaited) {
    storage.setLease({ ...lease, state: 'free' });
    wake(scope, turn, now() + resumeAfter);
    return;
  }
  storage.unschedule('turn', turn);
  if (how === 'suspended') storage.setLease({ ...lease, state: 'suspended' });
  else end(scope, lease, turn);
  arm(scope);
}

/** The turn is over: the next of those that wait is started in the same commit. */
function end(scope: LedgerScope, lease: Lease, turn: string): void {
  const { storage } = scope;
  storage.setLease({ ...lease, state: 'free', turn: null });
  dropNotes(storage, turn);
  storage.queueSteered();
  retainAnew(scope);
  goOn(scope);
}

/** The next of the turns that wait gets a holder, if no turn is open. */
export function goOn(scope: LedgerScope): void {
  const turn = startNext(scope.storage, scope.now());
  if (turn !== null) wake(scope, turn);
}
