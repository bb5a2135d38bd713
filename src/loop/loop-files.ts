import type { NewFile, StoredFile } from '../tool/content.ts';

export { MAX_FILE } from '../tool/content.ts';

/** The files of a session, as the loops of a turn keep and read them. */
export interface LoopFiles {
  /**
   * Keeps the bytes of a file under their hash: they are stored with the first event that names it.
   *
   * @throws FileRefusedError when it is too large, or the session has no room for it.
   */
  keep(file: NewFile): Promise<StoredFile>;
  /**
   * Answers the bytes of these files in base64, by their ids, as far as they are there. Each is fetched once an invocation.
   *
   * @throws Interrupted when the session cannot be read any more.
   */
  read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>>;
}

/** A file was not kept. The message is for the model, and says what may be done. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}
