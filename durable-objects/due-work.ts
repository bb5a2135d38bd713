import { dueRefs, retainAnew, scheduleAlarm } from './alarms.ts';
import { expireWait } from './inbox.ts';
import type { LedgerScope } from './session-storage.ts';
import { queueDue, startNext } from './waiting-turns.ts';

/** Does what is due, sets the next alarm, and answers the turns to hand to a runner now. */
export function doDueWork(scope: LedgerScope): string[] {
  if (dueRefs(scope, 'retention').length > 0) retainAnew(scope);
  queueDue(scope);
  startNext(scope);
  for (const wait of dueRefs(scope, 'expiry')) expireWait(scope, wait);
  const handedOver = takeDueTurns(scope);
  scheduleAlarm(scope);
  return handedOver;
}

/** The turns that need a holder now. Each stays due again after a term, so that a lost hand-over is repeated. */
const takeDueTurns = (scope: LedgerScope): string[] =>
  dueRefs(scope, 'turn').filter((turn) => {
    const next = nextLook(scope, turn);
    if (next === null) scope.storage.alarms.remove('turn', turn);
    else scope.storage.alarms.add({ kind: 'turn', ref: turn, due: next.at });
    return next?.isNeeded ?? false;
  });

/** When to look at a turn again, and whether it needs a holder now; `null` for one that needs none any more. */
function nextLook(
  { storage, clock, now }: LedgerScope,
  turn: string,
): { readonly at: number; readonly isNeeded: boolean } | null {
  const lease = storage.lease();
  if (lease.turn !== turn || lease.state === 'suspended') return null;
  if (!clock.isLive) return { at: now() + clock.ms, isNeeded: true };
  clock.keepDeadline();
  return { at: clock.deadline, isNeeded: false };
}
