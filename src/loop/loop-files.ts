import type { FileGone } from '../journal/kept-file.ts';
import { sha256Hex } from '../tool/async.ts';
import { toBase64 } from '../tool/base64.ts';
import type { NewFile, StoredFile } from '../tool/content.ts';

/** The most bytes of one file. */
export const MAX_FILE = 8 * 1024 * 1024;

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
   * @throws Interrupted if the session cannot be reached: the turn is left to another invocation.
   */
  read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns those of these files that were deleted, by their ids, and why.
   *
   * @throws Interrupted if the session cannot be reached: the turn is left to another invocation.
   */
  gone(files: readonly StoredFile[]): Promise<ReadonlyMap<string, FileGone>>;
  /** Answers a file that the session keeps, with its bytes. */
  find(id: string): Promise<NewFile | undefined>;
}

/** A file was not kept. The message is for the model, and says what may be done. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** A file by the hash of its bytes. @throws FileRefusedError when it is empty or too large. */
export async function toStored({ bytes, mediaType, name }: NewFile): Promise<StoredFile> {
  const size = bytes.byteLength;
  if (size === 0) throw new FileRefusedError('It is empty.');
  if (size > MAX_FILE) throw new FileRefusedError(`A file may weigh ${MAX_FILE} bytes.`);
  const id = await sha256Hex(new Uint8Array(bytes));
  return { type: 'file', id, mediaType, ...(name !== undefined && { name }), size };
}

/** The files of a loop without a session: they are there as long as it is. */
export class MemoryFiles implements LoopFiles {
  readonly #files = new Map<string, NewFile>();

  async keep(file: NewFile): Promise<StoredFile> {
    const stored = await toStored(file);
    this.#files.set(stored.id, file);
    return stored;
  }

  async read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>> {
    return new Map(
      files.flatMap(({ id }) => {
        const file = this.#files.get(id);
        return file ? [[id, toBase64(file.bytes)] as const] : [];
      }),
    );
  }

  async gone(): Promise<ReadonlyMap<string, FileGone>> {
    return NONE;
  }

  async find(id: string): Promise<NewFile | undefined> {
    return this.#files.get(id);
  }
}

const NONE: ReadonlyMap<string, FileGone> = new Map();
