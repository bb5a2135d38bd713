/** Names everything that one session has in a store. */
export interface SessionFilesKey {
  /** The session's name, unlike any other of the app's. */
  readonly session: string;
  /** Distinguishes the session from an erased one of the same name, whose files are still to be deleted. */
  readonly incarnation: string;
}

/** Names a file of a session. */
export interface FileKey extends SessionFilesKey {
  /**
   * SHA-256 of the file's bytes, in hex. If the same bytes come again after their deletion, a period and a number follow, so that a
   * late deletion cannot remove them.
   */
  readonly id: string;
}

/**
 * Where the bytes of files are kept, in the place of their session's own Durable Object, such as a bucket. What a file is
 * called, and whose it is, stays with the session.
 */
export interface FileStore {
  /** Stores bytes before anything names them. The same key comes with the same bytes, and may come again. */
  put(key: FileKey, bytes: Uint8Array, mediaType: string): Promise<void>;
  /** Answers the bytes, or those of a range of it; `null` when there is no such file. */
  get(key: FileKey, range?: { readonly from: number; readonly length: number }): Promise<Uint8Array | null>;
  /** Removes one file. May be called again, also for a file that does not exist. */
  delete(key: FileKey): Promise<void>;
  /** Removes all files under a key, which no file is put under any more. May be called again, also if it has none. */
  deleteAll(key: SessionFilesKey): Promise<void>;
}
