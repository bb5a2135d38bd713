import type { TurnStart } from '../src/journal/session-port.ts';
import { type Alarm, isWaiting, type Lease, type LedgerScope, NEVER } from './session-storage.ts';
import { LONGEST_PAUSE } from './take-overs.ts';

type Timed = Pick<LedgerScope, 'storage' | 'now' | 'clock'>;

/** Stores the lease, and sets the alarm for its `due`. */
export function scheduleTurn(scope: Timed, lease: Lease): void {
  scope.storage.setLease(lease);
  scheduleAlarm(scope);
}

/**
 * Returns when to check the open turn next, or `null`. While its holder is heard, this moves with each message from the holder. Nothing is
 * stored for that.
 */
export function turnDue({ storage, clock }: Timed): number | null {
  const { due, line } = storage.lease();
  if (due === null || !clock.isLive) return due;
  return Math.max(due, line > 0 ? clock.nextLook : clock.deadline);
}

/** Sets the alarm to whatever is due first. What only a newer version does is left to it: the alarm would go off for ever. */
export function scheduleAlarm(scope: Timed): void {
  const { storage, now } = scope;
  let first = turnDue(scope);
  for (const { kind, due } of storage.alarms.all()) {
    if (!Object.hasOwn(KNOWN, kind) || due >= NEVER) continue;
    first = Math.min(due, first ?? due, now() + FARTHEST_ALARM);
    break;
  }
  storage.alarms.set(first);
}

/**
 * Sets the alarm to now if something has been due for so long that the platform must have lost the alarm for it, or if a turn is due later
 * than any pause leads to, since the clock was set back. Returns whether it did.
 */
export function rescueAlarm(scope: Timed): boolean {
  const { storage, clock, now } = scope;
  const lease = storage.lease();
  const isTooFar = lease.due !== null && lease.due > now() + clock.ms + LONGEST_PAUSE;
  if (isTooFar) storage.setLease({ ...lease, due: now() });
  const isOver = (due: number | null): boolean => due !== null && due + LOST_AFTER <= now();
  // The alarm for a live holder is not in its lease. It is kept in memory until the object restarts.
  const { at = lease.due } = storage.alarms;
  let isLost = isTooFar || isOver(turnDue(scope)) || (lease.due !== null && isOver(at));
  for (const { kind, due } of storage.alarms.all()) isLost ||= Object.hasOwn(KNOWN, kind) && isOver(due);
  if (isLost) storage.alarms.set(now());
  return isLost;
}

/** An alarm that is later than this is taken for lost, in ms. If it was only late it is set twice, which does no harm. */
export const LOST_AFTER = 1_000;

/** What this code does when it is due; a record, so that the compiler asks for each. */
const KNOWN: Readonly<Record<Alarm['kind'], true>> = {
  expiry: true,
  start: true,
  retention: true,
  due: true,
  'blob-retention': true,
};

/** The platform knows no alarm after the year 2189; one that is too early only looks again. In ms. */
const FARTHEST_ALARM = 365 * 24 * 60 * 60_000;

/** Answers what the alarms of this kind are for whose time has come. */
export const dueRefs = ({ storage, now }: Timed, kind: Alarm['kind']): string[] =>
  storage.alarms
    .all()
    .filter((alarm) => alarm.kind === kind && alarm.due <= now())
    .map(({ ref }) => ref);

/**
 * The session is erased when nothing has happened in it for `retainMs` from now on, and a retention of its blobs other than this one is
 * over; never if these are absent. The last message decides. The caller schedules the alarm.
 */
export function retain(
  { storage, now }: Timed,
  { retainMs, blobRetainMs }: Pick<TurnStart, 'retainMs' | 'blobRetainMs'>,
): void {
  for (const { kind, ref } of storage.alarms.all()) {
    const isOver = kind === 'retention' || (kind === 'blob-retention' && ref !== String(blobRetainMs));
    if (isOver) storage.alarms.remove(kind, ref);
  }
  if (retainMs !== undefined)
    storage.alarms.add({ kind: 'retention', ref: String(retainMs), due: now() + retainMs });
}

/** Something has happened: the time for which the session is kept restarts, if it is bounded. The caller schedules the alarm. */
export function retainAnew({ storage, now }: Timed): void {
  for (const alarm of storage.alarms.all())
    if (alarm.kind === 'retention') storage.alarms.add({ ...alarm, due: now() + Number(alarm.ref) });
}

/** Nothing has happened for as long as the session is to be kept, and nothing is about to. */
export function isOutdated(scope: Timed): boolean {
  const { storage } = scope;
  if (dueRefs(scope, 'retention').length === 0) return false;
  return storage.lease().turn === null && !storage.inbox.messages().some(isWaiting);
}
