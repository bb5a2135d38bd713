import type {
  BlobPage,
  BlobQuery,
  BlobRemoval,
  BlobStates,
  BlobsRefusal,
  KeptBlob,
} from '../src/journal/blob.ts';
import type { TurnStart } from '../src/journal/session-port.ts';
import { addOutsideLane, scheduleOutsideDeletion } from './agenda.ts';
import { listDueRefs, scheduleAlarm } from './alarms.ts';
import type { StoredBlob } from './blob-storage.ts';
import {
  type Alarm,
  getIncarnation,
  type LedgerScope,
  NEVER,
  type SessionStorage,
} from './session-storage.ts';

/** Returns the size of a blob: that of its bytes if they are present, or else the declared size. */
const getBlobSize = ({ bytes, size }: KeptBlob): number => bytes?.byteLength ?? size;

/**
 * Keeps blobs in the same commit as the event that refers to them. A blob that is already kept stays
 * unchanged, except that a new location (here or in an external store) is added. A removed blob is kept
 * again, unless its bytes are in an external copy that was removed.
 */
export function keepBlobs(scope: LedgerScope, blobs: readonly KeptBlob[]): void {
  const { storage } = scope;
  for (const blob of blobs) {
    const before = storage.blobs.find(blob.id);
    if (isMoved(before, blob)) continue;
    storage.blobs.add({ ...blob, size: getBlobSize(blob) }, scope.now(), before);
    if (blob.outside) addOutsideLane(scope, blob.outside);
  }
  const retention = findBlobRetention(storage);
  if (!retention) return;
  scheduleBlobExpiry(scope, Number(retention.ref));
  scheduleAlarm(scope);
}

/** Returns whether the bytes are in an external copy that was removed after it was stored. */
const isMoved = (kept: StoredBlob | null, { outside }: KeptBlob): boolean =>
  outside !== undefined && outside.version !== (kept?.version ?? 0);

/**
 * Returns the reason why the blobs of a message cannot be kept: there is no room for new blobs, or an
 * external store no longer has their bytes. Returns `null` if they can be kept.
 */
export function findBlobsProblem(
  storage: SessionStorage,
  { blobs = [], room = Infinity, opening }: TurnStart,
): BlobsRefusal | null {
  const kept = new Map(blobs.map((blob) => [blob, storage.blobs.find(blob.id)]));
  const added = new Map(
    blobs.map((blob) => [blob.id, kept.get(blob)?.gone === null ? 0 : getBlobSize(blob)]),
  );
  const used = storage.blobs.load()?.bytes ?? 0;
  const more = [...added.values()].reduce((sum, size) => sum + size, 0);
  // The session can already exceed the room, since blobs from a turn are never refused.
  if (more > 0 && used + more > room) return { status: 'blobs-full', most: room, used };
  const incarnation = getIncarnation(storage, opening);
  const isElsewhere = (blob: KeptBlob): boolean =>
    blob.outside !== undefined &&
    (blob.outside.incarnation !== incarnation || isMoved(kept.get(blob) ?? null, blob));
  return blobs.some(isElsewhere) ? { status: 'blobs-moved', incarnation } : null;
}

/** The maximum bytes in one reply. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Returns a part of a blob. The part is empty if it begins after the blob's end. */
export function readBlobPage(
  storage: SessionStorage,
  { id, from = 0, length = PAGE_BYTES }: BlobQuery,
): BlobPage | null {
  const kept = storage.blobs.find(id);
  if (kept?.gone !== null) return null;
  const { about, size, version } = kept;
  if (!kept.here) return { about, size, bytes: null, at: { incarnation: getIncarnation(storage), version } };
  const start = clampToWhole(from, size);
  const end = start + clampToWhole(length, Math.min(PAGE_BYTES, size - start));
  return { about, size, bytes: storage.blobs.read(kept, start, end) };
}

/** Returns the value as a whole number from 0 to `most`. */
const clampToWhole = (value: number, most: number): number =>
  Math.min(Math.max(Math.trunc(value) || 0, 0), most);

/** Returns the states of these blobs, or `null` if there is no session. */
export const findBlobStates = (storage: SessionStorage, ids: readonly string[]): BlobStates | null =>
  storage.head() === 0
    ? null
    : {
        incarnation: getIncarnation(storage),
        blobs: ids.flatMap((id) => {
          const kept = storage.blobs.find(id);
          if (!kept) return [];
          const { gone, outside, version } = kept;
          return [{ id, gone, isOutside: outside === 1, version }];
        }),
      };

/** Removes a blob, unless a turn runs. Must run in a transaction. */
export function removeBlob(scope: LedgerScope, id: string): BlobRemoval {
  const { storage } = scope;
  const kept = storage.blobs.find(id);
  if (!kept) return { status: 'unknown' };
  if (kept.gone === null) {
    const turn = findRunningTurn(storage);
    if (turn !== null) return { status: 'busy', turn };
    storage.blobs.remove(id, 'deleted');
    scheduleOutsideDeletion(scope);
  }
  return { status: 'deleted' };
}

/**
 * Removes the blobs whose retention has expired. While a turn runs, its holder may read them, so the removal
 * becomes due again after a term.
 */
export function expireBlobs(scope: LedgerScope): void {
  const { storage, clock, now } = scope;
  for (const ref of listDueRefs(scope, 'blob-retention')) {
    if (findRunningTurn(storage) !== null) {
      storage.alarms.add({ kind: 'blob-retention', ref, due: now() + clock.ms });
      continue;
    }
    for (const id of storage.blobs.keptUntil(now() - Number(ref))) storage.blobs.remove(id, 'expired');
    scheduleOutsideDeletion(scope);
    scheduleBlobExpiry(scope, Number(ref));
  }
}

/**
 * Schedules the removal of blobs this many ms after they last arrived. The caller must schedule the alarm.
 */
export function scheduleBlobExpiry({ storage: { alarms, blobs } }: LedgerScope, ms: number): void {
  alarms.add({ kind: 'blob-retention', ref: String(ms), due: (blobs.oldest() ?? NEVER) + ms });
}

/**
 * Returns the alarm row of the blobs' retention. There is at most one, since `retain` removes the previous
 * one.
 */
export const findBlobRetention = ({ alarms }: SessionStorage): Alarm | undefined =>
  alarms.all().find(({ kind }) => kind === 'blob-retention');

/**
 * Returns the turn that has or awaits a holder. Returns `null` if no turn is open, or the turn waits for an
 * answer from outside.
 */
function findRunningTurn(storage: SessionStorage): string | null {
  const { turn, state } = storage.lease();
  return state === 'suspended' ? null : turn;
}
