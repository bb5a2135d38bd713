import type {
  BlobPage,
  BlobQuery,
  BlobRemoved,
  BlobStates,
  BlobsRefused,
  KeptBlob,
} from '../src/journal/blob.ts';
import type { TurnStart } from '../src/journal/session-port.ts';
import { rememberOutside, wakeOutside } from './agenda.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import type { StoredBlob } from './blob-storage.ts';
import {
  type Alarm,
  incarnationIn,
  type LedgerScope,
  NEVER,
  type SessionStorage,
} from './session-storage.ts';

/** What a blob weighs: its bytes, if they are there, whatever is said of them. */
const sizeOf = ({ bytes, size }: KeptBlob): number => bytes?.byteLength ?? size;

/**
 * Keeps blobs with whatever is stored in the same commit and names them. One that is kept already stays as it is; but bytes that were
 * only outside until now are kept here as well, and it is remembered if bytes are outside too. One that was removed is kept again, unless
 * its bytes are in a copy that was removed.
 */
export function keepBlobs(scope: LedgerScope, blobs: readonly KeptBlob[]): void {
  const { storage } = scope;
  for (const blob of blobs) {
    const before = storage.blobs.find(blob.id);
    if (isMoved(before, blob)) continue;
    storage.blobs.add({ ...blob, size: sizeOf(blob) }, scope.now(), before);
    if (blob.outside) rememberOutside(scope, blob.outside);
  }
  const retention = retentionOf(storage);
  if (!retention) return;
  retainBlobs(scope, Number(retention.ref));
  scheduleAlarm(scope);
}

/** A store outside has the bytes in a copy that was removed since they were put there. */
const isMoved = (kept: StoredBlob | null, { outside }: KeptBlob): boolean =>
  outside !== undefined && outside.version !== (kept?.version ?? 0);

/** Returns why the blobs of a message are not kept: the new ones have no room, or a store outside has their bytes no more. `null`: they are. */
export function whyNotKept(
  storage: SessionStorage,
  { blobs = [], room = Infinity, opening }: TurnStart,
): BlobsRefused | null {
  const kept = new Map(blobs.map((blob) => [blob, storage.blobs.find(blob.id)]));
  const added = new Map(blobs.map((blob) => [blob.id, kept.get(blob)?.gone === null ? 0 : sizeOf(blob)]));
  const used = storage.blobs.load()?.bytes ?? 0;
  const more = [...added.values()].reduce((sum, size) => sum + size, 0);
  // What is there already may be more than there may be: what a turn has made is never refused.
  if (more > 0 && used + more > room) return { status: 'blobs-full', most: room, used };
  const incarnation = incarnationIn(storage, opening);
  const isElsewhere = (blob: KeptBlob): boolean =>
    blob.outside !== undefined &&
    (blob.outside.incarnation !== incarnation || isMoved(kept.get(blob) ?? null, blob));
  return blobs.some(isElsewhere) ? { status: 'blobs-moved', incarnation } : null;
}

/** The most bytes in one answer. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Returns a part of a blob; no byte of it if the part begins behind its end. */
export function pageOfBlob(
  storage: SessionStorage,
  { id, from = 0, length = PAGE_BYTES }: BlobQuery,
): BlobPage | null {
  const kept = storage.blobs.find(id);
  if (kept?.gone !== null) return null;
  const { about, size, version } = kept;
  if (!kept.here) return { about, size, bytes: null, at: { incarnation: incarnationIn(storage), version } };
  const start = within(from, size);
  const end = start + within(length, Math.min(PAGE_BYTES, size - start));
  return { about, size, bytes: storage.blobs.read(kept, start, end) };
}

/** A whole number from 0 to `most`. */
const within = (value: number, most: number): number => Math.min(Math.max(Math.trunc(value) || 0, 0), most);

/** Returns the states of these blobs, or `null` if there is no session. */
export const statesOf = (storage: SessionStorage, ids: readonly string[]): BlobStates | null =>
  storage.head() === 0
    ? null
    : {
        incarnation: incarnationIn(storage),
        blobs: ids.flatMap((id) => {
          const kept = storage.blobs.find(id);
          if (!kept) return [];
          const { gone, outside, version } = kept;
          return [{ id, gone, isOutside: outside === 1, version }];
        }),
      };

/** Removes a blob, unless a turn runs. To be run in a transaction. */
export function removeBlob(scope: LedgerScope, id: string): BlobRemoved {
  const { storage } = scope;
  const kept = storage.blobs.find(id);
  if (!kept) return { status: 'unknown' };
  if (kept.gone === null) {
    const turn = runningTurn(storage);
    if (turn !== null) return { status: 'busy', turn };
    storage.blobs.remove(id, 'deleted');
    wakeOutside(scope);
  }
  return { status: 'deleted' };
}

/** Removes the blobs whose retention has run out. While a turn runs, its holder may read them, and this is due again after a term. */
export function expireBlobs(scope: LedgerScope): void {
  const { storage, clock, now } = scope;
  for (const ref of dueRefs(scope, 'blob-retention')) {
    if (runningTurn(storage) !== null) {
      storage.alarms.add({ kind: 'blob-retention', ref, due: now() + clock.ms });
      continue;
    }
    for (const id of storage.blobs.keptUntil(now() - Number(ref))) storage.blobs.remove(id, 'expired');
    wakeOutside(scope);
    retainBlobs(scope, Number(ref));
  }
}

/** Blobs are removed so many ms after they came last. The caller schedules the alarm. */
export function retainBlobs({ storage: { alarms, blobs } }: LedgerScope, ms: number): void {
  alarms.add({ kind: 'blob-retention', ref: String(ms), due: (blobs.oldest() ?? NEVER) + ms });
}

/** Returns for how long blobs are kept, as the row that is due next. There is one at the most: `retain` removes that before it. */
export const retentionOf = ({ alarms }: SessionStorage): Alarm | undefined =>
  alarms.all().find(({ kind }) => kind === 'blob-retention');

/** The turn that has a holder or is about to get one; `null` if none is open, or it waits for somebody outside. */
function runningTurn(storage: SessionStorage): string | null {
  const { turn, state } = storage.lease();
  return state === 'suspended' ? null : turn;
}
