import type { Change } from '../src/journal/session-port.ts';
import { scheduleAlarm } from './alarms.ts';
import { keepBlobs } from './blobs.ts';
import { settleLease } from './lease.ts';
import type { LedgerScope } from './session-storage.ts';
import { deferScheduled, forgetSteered, takeIn } from './waiting-turns.ts';

/** @throws Error if a change has a field that only a newer version knows: it is sent again, until this object has that version. */
export function mustKnow(change: Change): void {
  // All fields, so that the compiler asks for each.
  const { events, progress, unread, release, resumeAfter, agenda, inboxHeld, ...more } = change;
  const { inboxRead, blobs, snapshot, expiries, scheduled, ...strangers } = more;
  const [stranger] = Object.keys(strangers satisfies Record<string, never>);
  if (stranger === undefined) return;
  throw new Error(`This SessionObject does not know '${stranger}' of an append: deploy a newer one.`);
}

/** Stores what comes with the events of an append, which are stored. */
export function storeRest(scope: LedgerScope, change: Change): void {
  const { storage, now } = scope;
  const { inboxRead, blobs, snapshot, expiries, scheduled } = change;
  if (inboxRead !== undefined) takeIn(scope, inboxRead);
  if (blobs) keepBlobs(scope, blobs);
  if (snapshot !== undefined) storage.snapshots.set(snapshot);
  if (snapshot?.messagesFrom !== undefined) forgetSteered(scope, snapshot.messagesFrom);
  for (const { wait, after } of expiries ?? []) {
    storage.alarms.add({ kind: 'expiry', ref: wait, due: now() + after });
  }
  if (scheduled) deferScheduled(scope, scheduled);
  if (expiries !== undefined || scheduled !== undefined) scheduleAlarm(scope);
  settleLease(scope, change);
}
