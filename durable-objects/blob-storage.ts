import type { BlobGoneReason, BlobLoad, KeptBlob } from '../src/journal/blob.ts';

/** The blobs of a session. The record of a blob is read without its bytes. */
export interface BlobStorage {
  /** Returns the record of a blob, even if its bytes were removed, or `null` if it was never kept. */
  find(id: string): StoredBlob | null;
  /** Returns the totals of all blobs, or `undefined` if there have never been any. */
  load(): BlobLoad | undefined;
  /** `true` if there has never been a blob. `undefined` before the first `load`. */
  readonly isEmpty: boolean | undefined;
  /**
   * Stores a blob that arrives at this time. `before`: its record so far. A new location (here or in an
   * external store) is added to the existing one.
   */
  add(blob: KeptBlob, at: number, before: StoredBlob | null): void;
  /**
   * Removes the bytes of a blob, and records the reason. A copy in an external store becomes stale, and the
   * next copy has a new version.
   */
  remove(id: string, why: BlobGoneReason): void;
  /** Returns when the oldest remaining blob last arrived, in ms since the epoch, or `null`. */
  oldest(): number | null;
  /** Returns the ids of the remaining blobs that last arrived at this time or earlier. */
  keptUntil(at: number): readonly string[];
  /** Returns at most `most` copies of removed blobs that an external store may still have. */
  stale(most: number): readonly StaleCopy[];
  /** Records that the external store no longer has these copies. */
  forgetStale(copies: readonly StaleCopy[]): void;
  /** Returns the bytes of a blob that is stored here, from one offset to another. Both must be within it. */
  read(blob: StoredBlob, from: number, to: number): Uint8Array;
}

/**
 * The record of a blob. Its bytes are here, in an external store, or both. A type alias, since an interface
 * is not assignable to a row.
 */
export type StoredBlob = {
  readonly seq: number;
  readonly about: string;
  readonly size: number;
  /** 1 if the bytes are here, and otherwise 0. */
  readonly here: number;
  /** 1 if an external store has the bytes, or else 0. */
  readonly outside: number;
  readonly gone: BlobGoneReason | null;
  /** The version of the copy that an external store has or will receive. */
  readonly version: number;
};

/**
 * A copy that an external store may still have. A type alias, since an interface is not assignable to a row.
 */
export type StaleCopy = { readonly id: string; readonly version: number };
