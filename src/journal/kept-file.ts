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
  readonly file: Omit<KeptFile, 'bytes'>;
  /** `null`: they are in a store outside. */
  readonly bytes: Uint8Array | null;
}

/** What the files of one session may weigh together, in bytes. */
export const MAX_SESSION_FILES = 50 * 1024 * 1024;
