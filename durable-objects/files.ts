import type { FilePage, FileQuery, KeptFile } from '../src/journal/kept-file.ts';
import type { NotStarted } from '../src/journal/session-port.ts';
import type { SessionStorage } from './session-storage.ts';

type Stored = Pick<SessionStorage, 'files'>;

/** What the files of one session may weigh together, in bytes: as much as its holders think, which a test pins. */
const MOST_BYTES = 50 * 1024 * 1024;

/** What a file weighs: its bytes, where they are there, whatever is said of them. */
const sizeOf = ({ bytes, size }: KeptFile): number => bytes?.byteLength ?? size;

/**
 * Keeps files with whatever is stored in the same commit and names them. One that is kept already stays as it is; but bytes
 * that were only outside until now are kept here from now on, and it is remembered when bytes are outside as well.
 */
export function keepFiles({ files }: Stored, toKeep: readonly KeptFile[] = []): void {
  for (const file of toKeep) {
    const kept = files.find(file.id);
    const isKept = file.bytes === undefined ? kept?.isOutside : kept?.isHere;
    if (isKept !== true) files.add({ ...file, size: sizeOf(file) });
  }
}

/** Why the files of a message are not taken; `null` when there is room for those of them that are new. */
export function whyNoRoom({ files }: Stored, toKeep: readonly KeptFile[] = []): NotStarted | null {
  const added = new Map(toKeep.map((file) => [file.id, files.find(file.id) === null ? sizeOf(file) : 0]));
  const used = files.bytes();
  const more = [...added.values()].reduce((sum, size) => sum + size, 0);
  // What is there already may be more than there may be: what a turn has made is never refused.
  return more > 0 && used + more > MOST_BYTES ? { status: 'files-full', most: MOST_BYTES, used } : null;
}

/** The most bytes of a file in one answer. */
const PAGE_BYTES = 4 * 1024 * 1024;

/** Answers a part of a file; no byte of it when the part begins behind its end. */
export function pageOfFile(
  { files }: Stored,
  { id, from = 0, length = PAGE_BYTES }: FileQuery,
): FilePage | null {
  const kept = files.find(id);
  if (kept === null) return null;
  const { isHere, isOutside: _, ...file } = kept;
  if (!isHere) return { file, bytes: null };
  const start = within(from, file.size);
  const end = start + within(length, Math.min(PAGE_BYTES, file.size - start));
  return { file, bytes: files.read(id, start, end) };
}

/** A whole number from 0 to `most`. */
const within = (value: number, most: number): number => Math.min(Math.max(Math.trunc(value) || 0, 0), most);
