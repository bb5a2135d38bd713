import type {
  FileDeleted,
  FileGone,
  FilePage,
  FileQuery,
  FileState,
  FileStates,
  KeptFile,
} from '../src/journal/kept-file.ts';
import type { NotStarted, TurnStart } from '../src/journal/session-port.ts';
import { keptSince, scheduleAlarm, setFileRetention } from './alarms.ts';
import type { StoredFile } from './file-storage.ts';
import { rememberStore, scheduleCopies } from './outside-files.ts';
import { incarnationOf, type LedgerScope, NEVER, type SessionStorage } from './session-storage.ts';

type Stored = Pick<SessionStorage, 'files'>;

/** What the files of one session may weigh together, in bytes: as much as its holders think, which a test pins. */
const MOST_BYTES = 50 * 1024 * 1024;

/** What a file weighs: its bytes, where they are there, whatever is said of them. */
const sizeOf = ({ bytes, size }: KeptFile): number => bytes?.byteLength ?? size;

/**
 * Keeps files with whatever is stored in the same commit and names them. One that is kept already stays as it is; but bytes
 * that were only outside until now are kept here from now on, and it is remembered when bytes are outside as well. One that was
 * deleted is kept again, unless its bytes are in a copy that was deleted.
 */
export function keepFiles(scope: LedgerScope, toKeep: readonly KeptFile[]): void {
  const { files } = scope.storage;
  for (const file of toKeep) {
    const kept = files.find(file.id);
    const isKept = kept?.gone === null && (file.bytes === undefined ? kept.isOutside : kept.isHere);
    if (isKept) files.keepLonger(file.id, scope.now());
    if (isKept || isMoved(kept, file)) continue;
    files.add({ ...file, size: sizeOf(file) }, scope.now());
    if (file.outside) rememberStore(scope, file.outside);
  }
  scheduleExpiry(scope);
}

/** A store outside has the bytes in a copy that was deleted since they were put there. */
const isMoved = (kept: StoredFile | null, { id, bytes, copy = id }: KeptFile): boolean =>
  bytes === undefined && copy !== (kept?.copy ?? id);

/** Why the files of a message are not taken; `null` when there is room for those of them that are new. */
export function whyNoRoom({ files }: Stored, toKeep: readonly KeptFile[] = []): NotStarted | null {
  const added = new Map(toKeep.map((file) => [file.id, isThere(files.find(file.id)) ? 0 : sizeOf(file)]));
  const used = files.bytes();
  const more = [...added.values()].reduce((sum, size) => sum + size, 0);
  // What is there already may be more than there may be: what a turn has made is never refused.
  return more > 0 && used + more > MOST_BYTES ? { status: 'files-full', most: MOST_BYTES, used } : null;
}

/** Refuses files whose bytes a store outside has, or soon has, no more: `null` unless it does. */
export function whyMoved(storage: SessionStorage, start: TurnStart): NotStarted | null {
  const { files: toKeep = [], filesUnder, opening } = start;
  if (filesUnder === undefined) return null;
  const incarnation = incarnationOf(storage.opening() ?? opening.body) ?? '';
  const isHere =
    incarnation === filesUnder && !toKeep.some((one) => isMoved(storage.files.find(one.id), one));
  return isHere ? null : { status: 'files-moved', incarnation };
}

const isThere = (kept: StoredFile | null): kept is StoredFile => kept !== null && kept.gone === null;

/** The most bytes of a file in one answer. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Answers a part of a file; no byte of it when the part begins behind its end. */
export function pageOfFile(
  storage: SessionStorage,
  { id, from = 0, length = PAGE_BYTES }: FileQuery,
): FilePage | null {
  const { files } = storage;
  const kept = files.find(id);
  if (!isThere(kept)) return null;
  const { isHere, isOutside: _, gone: __, copy, ...file } = kept;
  if (!isHere) {
    return { file, bytes: null, at: { incarnation: incarnationOf(storage.opening()) ?? '', id: copy } };
  }
  const start = within(from, file.size);
  const end = start + within(length, Math.min(PAGE_BYTES, file.size - start));
  return { file, bytes: files.read(id, start, end) };
}

/** A whole number from 0 to `most`. */
const within = (value: number, most: number): number => Math.min(Math.max(Math.trunc(value) || 0, 0), most);

/** Returns how these files stand, or `null` if there is no session. */
export function statesOf(storage: SessionStorage, ids: readonly string[]): FileStates | null {
  if (storage.head() === 0) return null;
  const files = ids.flatMap((id): readonly FileState[] => {
    const kept = storage.files.find(id);
    return kept
      ? [{ id, gone: kept.gone, isOutside: kept.isOutside && kept.gone === null, copy: kept.copy }]
      : [];
  });
  return { incarnation: incarnationOf(storage.opening()) ?? '', files };
}

/** Deletes a file, unless a turn runs. To be run in a transaction. */
export function deleteFile(scope: LedgerScope, id: string): FileDeleted {
  const { files } = scope.storage;
  const kept = files.find(id);
  if (kept === null) return { status: 'unknown' };
  const turn = runningTurn(scope.storage);
  if (kept.gone === null && turn !== null) return { status: 'busy', turn };
  if (kept.gone === null) remove(scope, kept, 'deleted');
  return { status: 'deleted' };
}

/** Deletes the files whose own retention has run out. While a turn runs, its model is shown them, and this is due again after a term. */
export function expireFiles(scope: LedgerScope): void {
  const { storage, clock, now } = scope;
  const retention = keptSince(scope);
  if (retention === undefined || retention.due > now()) return;
  if (runningTurn(storage) !== null) {
    setFileRetention(scope, retention.ms, now() + clock.ms);
    return;
  }
  for (const kept of storage.files.keptUntil(now() - retention.ms)) remove(scope, kept, 'expired');
  scheduleExpiry(scope);
}

/** Files are deleted so many ms after they came: the last message says. */
export function retainFiles(scope: LedgerScope, ms: number): void {
  if (ms === keptSince(scope)?.ms) return;
  setFileRetention(scope, ms, NEVER);
  scheduleExpiry(scope);
}

function scheduleExpiry(scope: LedgerScope): void {
  const retention = keptSince(scope);
  if (retention === undefined) return;
  const { ms } = retention;
  const oldest = scope.storage.files.oldest();
  setFileRetention(scope, ms, oldest === null ? NEVER : oldest + ms);
}

function remove(scope: LedgerScope, { id, isOutside }: StoredFile, why: FileGone): void {
  scope.storage.files.remove(id, why);
  if (isOutside) scheduleCopies(scope);
  scheduleExpiry(scope);
  scheduleAlarm(scope);
}

/** The turn that has a holder or is about to get one; `null` when none is open, or it waits for somebody outside. */
function runningTurn(storage: SessionStorage): string | null {
  const { turn, state } = storage.lease();
  return state === 'suspended' ? null : turn;
}
