import type { TurnStart } from '../src/journal/session-port.ts';
import { type Alarm, isWaiting, type Lease, type LedgerScope, NEVER } from './session-storage.ts';
import { MAX_PAUSE_MS } from './take-overs.ts';

type AlarmScope = Pick<LedgerScope, 'storage' | 'now' | 'clock'>;

/** Stores the lease, and sets the alarm for its `due`. */
export function scheduleTurn(scope: AlarmScope, lease: Lease): void {
  scope.storage.setLease(lease);
  scheduleAlarm(scope);
}

/**
 * Returns when to check the open turn next, or `null`. Each message of its holder postpones this time without
 * storing it.
 */
export function findTurnDueTime({ storage, clock }: AlarmScope): number | null {
  const { due, line } = storage.lease();
  if (due === null || !clock.isLive) return due;
  return Math.max(due, line > 0 ? clock.nextLook : clock.deadline);
}

/**
 * Sets the platform's alarm to the first due time. Ignores alarms of kinds that only newer code handles,
 * since they would fire forever.
 */
export function scheduleAlarm(scope: AlarmScope): void {
  const { storage, now } = scope;
  let first = findTurnDueTime(scope);
  for (const { kind, due } of storage.alarms.all()) {
    if (!Object.hasOwn(KNOWN_KINDS, kind) || due >= NEVER) continue;
    first = Math.min(due, first ?? due, now() + MAX_ALARM_DELAY_MS);
    break;
  }
  storage.alarms.set(first);
}

/**
 * Sets the alarm to now if it was probably lost, because work has been due for too long. Also does this if a
 * turn is due later than the longest pause, because the clock was set back. Returns whether it set the alarm.
 */
export function rescueAlarm(scope: AlarmScope): boolean {
  const { storage, clock, now } = scope;
  const lease = storage.lease();
  const isTooFar = lease.due !== null && lease.due > now() + clock.ms + MAX_PAUSE_MS;
  if (isTooFar) storage.setLease({ ...lease, due: now() });
  const isOver = (due: number | null): boolean => due !== null && due + LOST_AFTER_MS <= now();
  // For a live holder, the time of the alarm is not in the lease, but in memory until the object restarts.
  const { at = lease.due } = storage.alarms;
  let isLost = isTooFar || isOver(findTurnDueTime(scope)) || (lease.due !== null && isOver(at));
  for (const { kind, due } of storage.alarms.all())
    isLost ||= Object.hasOwn(KNOWN_KINDS, kind) && isOver(due);
  if (isLost) storage.alarms.set(now());
  return isLost;
}

/** Ms after which a due alarm counts as lost. If it is only late, it is set twice, which is harmless. */
export const LOST_AFTER_MS = 1_000;

/** The kinds that this code handles. As a record, so that the compiler requires each of them. */
const KNOWN_KINDS: Readonly<Record<Alarm['kind'], true>> = {
  expiry: true,
  start: true,
  retention: true,
  due: true,
  'blob-retention': true,
};

/**
 * The maximum delay of an alarm, in ms, since the platform has no alarms after the year 2189. An alarm that
 * fires early only checks again.
 */
const MAX_ALARM_DELAY_MS = 365 * 24 * 60 * 60_000;

/** Returns the refs of the due alarms of this kind. */
export const listDueRefs = ({ storage, now }: AlarmScope, kind: Alarm['kind']): string[] =>
  storage.alarms
    .all()
    .filter((alarm) => alarm.kind === kind && alarm.due <= now())
    .map(({ ref }) => ref);

/**
 * Erases the session after `retainMs` without activity, and drops blob retentions other than this one. Absent
 * values mean no limit. The last message takes precedence. The caller must schedule the alarm.
 */
export function setRetention(
  { storage, now }: AlarmScope,
  { retainMs, blobRetainMs }: Pick<TurnStart, 'retainMs' | 'blobRetainMs'>,
): void {
  for (const { kind, ref } of storage.alarms.all()) {
    const isOver = kind === 'retention' || (kind === 'blob-retention' && ref !== String(blobRetainMs));
    if (isOver) storage.alarms.remove(kind, ref);
  }
  if (retainMs !== undefined)
    storage.alarms.add({ kind: 'retention', ref: String(retainMs), due: now() + retainMs });
}

/** Restarts the session's retention after activity, if it has one. The caller must schedule the alarm. */
export function restartRetention({ storage, now }: AlarmScope): void {
  for (const alarm of storage.alarms.all())
    if (alarm.kind === 'retention') storage.alarms.add({ ...alarm, due: now() + Number(alarm.ref) });
}

/** Returns whether the session's retention has expired and no turn is open or waiting. */
export function isSessionExpired(scope: AlarmScope): boolean {
  const { storage } = scope;
  if (listDueRefs(scope, 'retention').length === 0) return false;
  return storage.lease().turn === null && !storage.inbox.messages().some(isWaiting);
}
