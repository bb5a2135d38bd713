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
    const { storage, clock, now } = scope;
    const { isLive, deadline, ms } = clock;
    const lease = storage.lease();
    if (lease.turn !== turn || lease.state === 'suspended') {
      storage.alarms.remove('turn', turn);
      return false;
    }
    // For an object that starts after this one: the turn was looked at while its holder was silent.
    if (isLive) storage.setLease({ ...lease, grace: deadline });
    storage.alarms.add({ kind: 'turn', ref: turn, due: isLive ? deadline : now() + ms });
    return !isLive;
  });
