/** Names a file of a session. */
export interface FileKey {
  /** The session's name, unlike any other of the app's. */
  readonly session: string;
  /** SHA-256 of the file's bytes, in hex. */
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
  /** Removes all files of a session. May be asked again, also for a session that has none. */
  delete(session: string): Promise<void>;
}
