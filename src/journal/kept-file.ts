import type { AgendaOwner } from './agenda.ts';

/** A file that is to be kept with what names it, in one commit. One that is kept already is not stored again. */
export interface KeptFile {
  /** SHA-256 of its bytes, in hex. */
  readonly id: string;
  readonly mediaType: string;
  readonly name?: string | undefined;
  /** In bytes. */
  readonly size: number;
  /** Absent of a file whose bytes are in a store outside. */
  readonly bytes?: Uint8Array | undefined;
  /** The id under which a store outside has the bytes. Defaults to `id`; see `FileState.copy`. */
  readonly copy?: string | undefined;
  /** Of a file without bytes: which use of a module has them in its store. */
  readonly outside?: AgendaOwner | undefined;
}

/** Asks for a part of a file. */
export interface FileQuery {
  readonly id: string;
  /** The first byte; 0 unless given. */
  readonly from?: number | undefined;
  /** The most bytes; 4 MiB unless given, and never more. */
  readonly length?: number | undefined;
}

/** A part of a file, and what is known of all of it. */
export interface FilePage {
  readonly file: Omit<KeptFile, 'bytes' | 'copy' | 'outside'>;
  /** `null`: they are in a store outside. */
  readonly bytes: Uint8Array | null;
  /** Where a store outside has the bytes, when they are `null`. */
  readonly at?: FilePlace | undefined;
}

/** Where a store outside has the bytes of a file of a session. */
export interface FilePlace {
  readonly incarnation: string;
  /** The id of the copy. */
  readonly id: string;
}

/** Why a file is gone that the session once kept: somebody deleted it, or its own retention ran out. */
export type FileGone = 'deleted' | 'expired';

/** How one file of a session stands. */
export interface FileState {
  readonly id: string;
  readonly gone: FileGone | null;
  /** Whether a store outside has the bytes. */
  readonly isOutside: boolean;
  /**
   * The id under which a store outside has the bytes, or is to receive them. It changes when the file is deleted, so that the
   * deletion of the old copy cannot remove bytes that come later.
   */
  readonly copy: string;
}

/** How files of a session stand. */
export interface FileStates {
  /** Distinguishes the session from an erased one of the same name. */
  readonly incarnation: string;
  /** The files that were asked for. One that the session has never kept is left out. */
  readonly files: readonly FileState[];
}

/** The outcome of a request to delete a file. */
export type FileDeleted =
  /** The file is gone, or was before. */
  | { readonly status: 'deleted' }
  /** The session has never kept such a file. */
  | { readonly status: 'unknown' }
  /** Nothing was deleted: the lease holder of this turn may be showing the file to its model. */
  | { readonly status: 'busy'; readonly turn: string };

/** What the files of one session may weigh together, in bytes. */
export const MAX_SESSION_FILES = 50 * 1024 * 1024;
