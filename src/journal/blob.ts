import type { AgendaOwner } from './agenda.ts';

/** Bytes that are to be kept with what names them, in one commit. Those that are kept already are not stored again. */
export interface KeptBlob {
  /** The same bytes come under the same id. */
  readonly id: string;
  /** What their module knows of them, which the object does not read. That of the first time stays. */
  readonly about: string;
  /** In bytes. */
  readonly size: number;
  /** With no others in their buffer, which would be sent as well. Absent if they are in a store outside. */
  readonly bytes?: Uint8Array | undefined;
  /** Where a store outside has the bytes. */
  readonly outside?: OutsideBlob | undefined;
}

/** Which copy of a blob a store outside has. */
export interface BlobCopy {
  /** Distinguishes the session from an erased one of the same name. */
  readonly incarnation: string;
  /**
   * Counts how often the blob was removed while a store outside had it, so that the deletion of one copy cannot remove bytes that come
   * later.
   */
  readonly version: number;
}

/** A copy, and the use of a module that has it in its store. */
export interface OutsideBlob extends AgendaOwner, BlobCopy {}

/** Asks for a part of a blob. */
export interface BlobQuery {
  readonly id: string;
  /** The first byte. Defaults to 0. */
  readonly from?: number | undefined;
  /** The most bytes. Defaults to 4 MiB, and is never more. */
  readonly length?: number | undefined;
}

/** A part of a blob, and what is known of all of it. */
export interface BlobPage extends Pick<KeptBlob, 'about' | 'size'> {
  /** `null`: they are in a store outside. */
  readonly bytes: Uint8Array | null;
  /** The copy that a store outside has, if `bytes` is `null`. */
  readonly at?: BlobCopy | undefined;
}

/** Why bytes are gone that the session once kept: somebody deleted them, or their retention ran out. */
export type BlobGone = 'deleted' | 'expired';

/** The state of one blob of a session. */
export interface BlobState {
  readonly id: string;
  readonly gone: BlobGone | null;
  /** Whether a store outside has the bytes. */
  readonly isOutside: boolean;
  /** Of the copy that a store outside has, or is to receive. */
  readonly version: number;
}

/** The states of blobs of a session. */
export interface BlobStates extends Pick<BlobCopy, 'incarnation'> {
  /** The blobs that were asked for. One that the session has never kept is left out. */
  readonly blobs: readonly BlobState[];
}

/** The blobs of a session together. */
export interface BlobLoad {
  /** Of those that are not gone, wherever they are kept. */
  readonly bytes: number;
  /** How many are gone. */
  readonly gone: number;
}

/** The outcome of a request to remove a blob. */
export type BlobRemoved =
  /** It is gone, or was before. */
  | { readonly status: 'deleted' }
  /** The session has never kept it. */
  | { readonly status: 'unknown' }
  /** Nothing was removed: the lease holder of this turn may be reading it. */
  | { readonly status: 'busy'; readonly turn: string };

/** Why a turn was not stored because of its blobs; nothing has changed. */
export type BlobsRefused =
  /** They are more than the `room` of the session; in bytes. */
  | { readonly status: 'blobs-full'; readonly most: number; readonly used: number }
  /** The session was erased, or a blob removed, since the bytes were put into the store outside: they are to be put again. */
  | { readonly status: 'blobs-moved'; readonly incarnation: string };
