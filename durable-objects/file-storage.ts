import type { FileGone, KeptFile } from '../src/journal/kept-file.ts';

/** The files of a session. What is known of one is read without its bytes. */
export interface FileStorage {
  /** Returns the record of a file, also of one that is gone, or `null` if it was never kept. */
  find(id: string): StoredFile | null;
  /** Returns the bytes of all files that are not gone, wherever they are kept. */
  bytes(): number;
  /** Returns whether any file is gone. */
  hasGone(): boolean;
  /** The session has never had a file. `undefined`: it is not known yet, and `bytes` and `hasGone` find out. */
  readonly isEmpty: boolean | undefined;
  /** Stores a file that comes at this time; of one that is kept already, that its bytes are here, or outside, as well. */
  add(file: KeptFile, at: number): void;
  /** A file that is kept came again at this time. */
  keepLonger(id: string, at: number): void;
  /** Removes the bytes of a file that is kept, and remembers why. One that is outside gets another `copy`, and the one before is stale. */
  remove(id: string, why: FileGone): void;
  /** Returns when the oldest file that is not gone came last, in ms since the epoch, or `null` if there is none. */
  oldest(): number | null;
  /** Answers the files that are not gone and came at this time or before. */
  keptUntil(at: number): readonly StoredFile[];
  /** Answers copies of removed files that a store outside may still have, so many at the most. */
  staleCopies(most: number): readonly string[];
  /** The store outside has these copies no more. */
  forgetCopies(copies: readonly string[]): void;
  /** Answers the bytes of a file that are here, from one offset to another, both within it. */
  read(id: string, from: number, to: number): Uint8Array;
}

/** What is known of a file. Its bytes are here, in a store outside, or both. */
export interface StoredFile extends Omit<KeptFile, 'bytes' | 'copy' | 'outside'> {
  readonly isHere: boolean;
  readonly isOutside: boolean;
  readonly gone: FileGone | null;
  /** The id of the copy that a store outside has, or is to receive. */
  readonly copy: string;
}

/** Returns the id of a copy of a file. `version` counts how often the copy before it was removed. */
export const copyOf = (id: string, version: number): string => (version === 0 ? id : `${id}.${version}`);
