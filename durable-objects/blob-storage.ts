import type { BlobGone, BlobLoad, KeptBlob } from '../src/journal/blob.ts';

/** The blobs of a session. What is known of one is read without its bytes. */
export interface BlobStorage {
  /** Returns the record of a blob, also of one that is gone, or `null` if it was never kept. */
  find(id: string): StoredBlob | null;
  /** Returns what all of them weigh together, or `undefined` if there never was one. */
  load(): BlobLoad | undefined;
  /** There never was one. `undefined`: it is not known yet, and `load` finds out. */
  readonly isEmpty: boolean | undefined;
  /** Stores a blob that comes at this time. `before`: its record so far. It is here, or outside, as well as where it was. */
  add(blob: KeptBlob, at: number, before: StoredBlob | null): void;
  /** Removes the bytes of a blob, and remembers why. If they are outside, that copy is stale, and the next one has another version. */
  remove(id: string, why: BlobGone): void;
  /** Returns when the oldest blob that is not gone came last, in ms since the epoch, or `null` if there is none. */
  oldest(): number | null;
  /** Returns the ids of the blobs that are not gone and came at this time or before. */
  keptUntil(at: number): readonly string[];
  /** Returns copies of removed blobs that a store outside may still have, so many at the most. */
  stale(most: number): readonly StaleCopy[];
  /** The store outside has these copies no more. */
  forgetStale(copies: readonly StaleCopy[]): void;
  /** Returns the bytes of a blob that is here, from one offset to another, both within it. */
  read(blob: StoredBlob, from: number, to: number): Uint8Array;
}

/** What is known of a blob: its row. Its bytes are here, in a store outside, or both. A type alias, since an interface is no row. */
export type StoredBlob = {
  readonly seq: number;
  readonly about: string;
  readonly size: number;
  /** Whether the bytes are here: 1 or 0. */
  readonly here: number;
  /** Whether a store outside has them: 1 or 0. */
  readonly outside: number;
  readonly gone: BlobGone | null;
  /** Of the copy that a store outside has, or is to receive. */
  readonly version: number;
};

/** A copy that a store outside may still have. A type alias, since an interface is no row. */
export type StaleCopy = { readonly id: string; readonly version: number };
