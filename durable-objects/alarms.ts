import { type Alarm, type LedgerScope, NEVER } from './session-storage.ts';
import { LONGEST_PAUSE } from './take-overs.ts';

type Timed = Pick<LedgerScope, 'storage' | 'now'>;

/** The turn needs a holder at `due`; now unless given. */
export function scheduleTurn(scope: Timed, turn: string, due = scope.now()): void {
  scope.storage.alarms.add({ kind: 'turn', ref: turn, due });
  scheduleAlarm(scope);
}

/** Sets the alarm to whatever is due first. What only a newer version does is left to it: the alarm would go off for ever. */
export function scheduleAlarm({ storage, now }: Timed): void {
  const due = storage.alarms.all().find((row) => Object.hasOwn(KNOWN, row.kind) && row.due < NEVER)?.due;
  storage.alarms.set(due === undefined ? null : Math.min(due, now() + FARTHEST_ALARM));
}

/**
 * Sets the alarm to now if something has been due for so long that the platform must have lost the alarm for it, or if a turn is due later
 * than any pause leads to, since the clock was set back. Returns whether it did.
 */
export function rescueAlarm({ storage, clock, now }: LedgerScope): boolean {
  let isLost = false;
  for (const alarm of storage.alarms.all()) {
    const { kind, due } = alarm;
    const isTooFar = kind === 'turn' && due > now() + clock.ms + LONGEST_PAUSE;
    if (isTooFar) storage.alarms.add({ ...alarm, due: now() });
    isLost ||= isTooFar || (Object.hasOwn(KNOWN, kind) && due + LOST_AFTER <= now());
  }
  if (isLost) storage.alarms.set(now());
  return isLost;
}

/** An alarm that is later than this is taken for lost, in ms. If it was only late it is set twice, which does no harm. */
export const LOST_AFTER = 1_000;

/** What this code does when it is due; a record, so that the compiler asks for each. */
const KNOWN: Readonly<Record<Alarm['kind'], true>> = {
  turn: true,
  expiry: true,
  start: true,
  retention: true,
  due: true,
  files: true,
  'file-retention': true,
};

/** The platform knows no alarm after the year 2189; one that is too early only looks again. In ms. */
const FARTHEST_ALARM = 365 * 24 * 60 * 60_000;

/** Answers what the alarms of this kind are for whose time has come. */
export const dueRefs = ({ storage, now }: Timed, kind: Alarm['kind']): string[] =>
  storage.alarms
    .all()
    .filter((alarm) => alarm.kind === kind && alarm.due <= now())
    .map(({ ref }) => ref);

/** The session is erased when nothing has happened in it for `ms` from now on; never without. The last message says. */
export function retain(scope: Timed, ms: number | undefined): void {
  const { storage, now } = scope;
  const before = retention(scope);
  if (before !== undefined) storage.alarms.remove('retention', before.ref);
  if (ms === undefined) return;
  storage.alarms.add({ kind: 'retention', ref: String(ms), due: now() + ms });
  scheduleAlarm(scope);
}

/** Called when something has happened: the time for which a session is kept begins anew, if it is bounded. */
export function retainAnew(scope: Timed): void {
  const alarm = retention(scope);
  if (alarm !== undefined) retain(scope, Number(alarm.ref));
}

/** Nothing has happened for as long as the session is to be kept, and nothing is about to. */
export function isOutdated(scope: Timed): boolean {
  const { storage, now } = scope;
  const alarm = retention(scope);
  if (alarm === undefined || alarm.due > now()) return false;
  return storage.lease().turn === null && storage.inbox.waiting().length === 0;
}

/** There is one at the most: each replaces that before it. */
const retention = ({ storage }: Timed): Alarm | undefined =>
  storage.alarms.all().find(({ kind }) => kind === 'retention');

/** How long a file is kept after it came, in ms, and when the first one is due; `undefined` when files are kept with their session. */
export function keptSince({ storage }: Timed): { readonly ms: number; readonly due: number } | undefined {
  const row = storage.alarms.all().find(({ kind }) => kind === 'file-retention');
  return row && { ms: Number(row.ref), due: row.due };
}

/** Replaces the retention of files; `undefined` removes it. */
export function setFileRetention(scope: Timed, ms: number | undefined, due: number): void {
  const { alarms } = scope.storage;
  const before = keptSince(scope);
  if (before !== undefined) alarms.remove('file-retention', String(before.ms));
  if (ms !== undefined) alarms.add({ kind: 'file-retention', ref: String(ms), due });
  scheduleAlarm(scope);
}
