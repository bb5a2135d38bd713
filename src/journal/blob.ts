import type { AgendaOwner } from './agenda.ts';

/**
 * A blob to store in one commit with the event that refers to it. Bytes that are already stored are not
 * stored again.
 */
export interface KeptBlob {
  /** Equal bytes have equal ids. */
  readonly id: string;
  /** The module's own data about the blob, which the object does not read. The first version is kept. */
  readonly about: string;
  /** The size in bytes. */
  readonly size: number;
  /**
   * The bytes. Their buffer contains no others, since the whole buffer is sent. Absent if they are in an
   * outside store.
   */
  readonly bytes?: Uint8Array | undefined;
  /** The copy in an outside store. */
  readonly outside?: OutsideBlob | undefined;
}

/** Identifies a copy of a blob in an outside store. */
export interface BlobCopy {
  /** Distinguishes the session from an erased one of the same name. */
  readonly incarnation: string;
  /**
   * How often the blob was removed while an outside store had it. Deleting one copy thus cannot remove later
   * bytes.
   */
  readonly version: number;
}

/** A copy, and the module use whose store has it. */
export interface OutsideBlob extends AgendaOwner, BlobCopy {}

/** A request for part of a blob. */
export interface BlobQuery {
  readonly id: string;
  /** The first byte. Defaults to 0. */
  readonly from?: number | undefined;
  /** The maximum number of bytes. Defaults to 4 MiB, which is also the upper limit. */
  readonly length?: number | undefined;
}

/** A part of a blob, with data about the whole blob. */
export interface BlobPage extends Pick<KeptBlob, 'about' | 'size'> {
  /** `null` if they are in an outside store. */
  readonly bytes: Uint8Array | null;
  /** The copy in the outside store, if `bytes` is `null`. */
  readonly at?: BlobCopy | undefined;
}

/** Why bytes that the session once stored are gone: they were deleted, or their retention expired. */
export type BlobGoneReason = 'deleted' | 'expired';

/** The state of one blob of a session. */
export interface BlobState {
  readonly id: string;
  readonly gone: BlobGoneReason | null;
  /** `true` if the bytes are in an outside store. */
  readonly isOutside: boolean;
  /** The version of the copy that an outside store has or will receive. */
  readonly version: number;
}

/** The states of a session's blobs. */
export interface BlobStates extends Pick<BlobCopy, 'incarnation'> {
  /** The requested blobs, without those that the session never kept. */
  readonly blobs: readonly BlobState[];
}

/** Totals of a session's blobs. */
export interface BlobLoad {
  /** The bytes of all blobs that are not gone, in the session and in outside stores. */
  readonly bytes: number;
  /** The number of blobs that are gone. */
  readonly gone: number;
}

/** The outcome of a request to remove a blob. */
export type BlobRemoval =
  /** The blob is gone, or already was. */
  | { readonly status: 'deleted' }
  /** The session never kept the blob. */
  | { readonly status: 'unknown' }
  /** Not removed, since the lease holder of this turn may be reading it. */
  | { readonly status: 'busy'; readonly turn: string };

/** Why a turn was not stored because of its blobs. The session is unchanged. */
export type BlobsRefusal =
  /** The blobs exceed the `room` of the session. In bytes. */
  | { readonly status: 'blobs-full'; readonly most: number; readonly used: number }
  /**
   * The session was erased, or a blob removed, after the bytes were put into the outside store. They must be
   * put there again.
   */
  | { readonly status: 'blobs-moved'; readonly incarnation: string };
