/** Stores files by the hash of their bytes, and replaces the bytes in results with references. */
import type { BlobGoneReason, KeptBlob } from '../../journal/blob.ts';
import { getThrownMessage } from '../../loop/exception-processor.ts';
import { InterruptionError } from '../../loop/holder.ts';
import type { LoopFiles, NamedFiles, ShowingLoop, ShownFiles } from '../../loop/loop-files.ts';
import { computeSha256Hex, ENCODER } from '../../tool/async.ts';
import {
  type ContentPart,
  formatFileLine,
  isFile,
  isNewFile,
  isStoredFile,
  isTextType,
  type NewFile,
  type StoredFile,
  toBase64,
} from '../../tool/content.ts';
import type { Secrets } from '../../tool/secrets.ts';
import { createToolResult, listResultParts, type ToolResult } from '../../tool/tool-result.ts';
import { type ReadableFiles, showFiles } from './shown-files.ts';

/** The key of all files of one session in a store. */
export interface SessionFilesKey {
  /** The session's name, unique in the app. */
  readonly session: string;
  /**
   * Distinguishes the session from an erased session with the same name, whose files may not be deleted yet.
   */
  readonly incarnation: string;
}

/** The key of a file in a store. */
export interface FileKey extends SessionFilesKey {
  /**
   * SHA-256 of the file's bytes, in hex. If the same bytes are stored again after their deletion, a period
   * and a number follow. Then a late deletion cannot remove the new copy.
   */
  readonly id: string;
}

/**
 * A store for the bytes of files, such as a bucket, instead of the session's Durable Object. The session
 * stores each file's name and owner.
 */
export interface FileStore {
  /**
   * Stores bytes before any event refers to them. The same key always has the same bytes, and may be stored
   * again.
   */
  put(key: FileKey, bytes: Uint8Array, mediaType: string): Promise<void>;
  /** Returns the bytes of a file or of a range in it, or `null` if the file does not exist. */
  get(key: FileKey, range?: { readonly from: number; readonly length: number }): Promise<Uint8Array | null>;
  /** Removes one file. Must accept repeated calls, and files that do not exist. */
  delete(key: FileKey): Promise<void>;
  /**
   * Removes all files under a key that is no longer in use. Must accept repeated calls, and keys without
   * files.
   */
  deleteAll(key: SessionFilesKey): Promise<void>;
}

/** The maximum number of bytes in one file. */
export const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Thrown if a file is not stored. The model reads the message. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/**
 * Returns a reference to a file by the hash of its bytes. @throws FileRefusedError if it is empty or too
 * large.
 */
export async function toStored({ bytes, mediaType, name }: NewFile): Promise<StoredFile> {
  const size = bytes.byteLength;
  if (size === 0) throw new FileRefusedError('It is empty.');
  if (size > MAX_FILE_BYTES) throw new FileRefusedError(`It is larger than ${MAX_FILE_BYTES} bytes.`);
  const id = await computeSha256Hex(new Uint8Array(bytes));
  return { type: 'file', id, mediaType, ...(name !== undefined && { name }), size };
}

/** The maximum number of bytes in all files of one session. */
export const MAX_SESSION_BYTES = 50 * 1024 * 1024;

/**
 * Replaces the files of a message with references by hash. Equal files are stored once. @throws
 * FileRefusedError as `toStored` does.
 */
export async function storeParts(said: readonly ContentPart[]): Promise<NamedFiles> {
  const blobs = new Map<string, KeptBlob>();
  const parts: ContentPart[] = [];
  for (const part of said) {
    const stored = isNewFile(part) ? await toStored(part) : part;
    parts.push(stored);
    if (isNewFile(part) && isStoredFile(stored) && !blobs.has(stored.id))
      blobs.set(stored.id, toBlob(stored, part));
  }
  return blobs.size === 0 ? { parts } : { parts, blobs: [...blobs.values()], room: MAX_SESSION_BYTES };
}

/** Returns the record of a file, with its bytes or their place in a store. */
export const toBlob = (
  { id, size, mediaType, name }: Omit<StoredFile, 'type'>,
  { bytes, outside }: Pick<KeptBlob, 'bytes' | 'outside'>,
): KeptBlob => ({
  id,
  size,
  about: JSON.stringify({ mediaType, name }),
  ...(outside ? { outside } : { bytes: bytes && copyView(bytes) }),
});

/** Copies the bytes of a view, because its whole buffer would otherwise be sent to the object. */
const copyView = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();

export function toFile({
  id,
  size,
  about,
}: Pick<KeptBlob, 'id' | 'size' | 'about'>): Omit<StoredFile, 'type'> {
  const { mediaType, name } = JSON.parse(about) as Pick<StoredFile, 'mediaType' | 'name'>; // written by toBlob
  return { id, mediaType, ...(name !== undefined && { name }), size };
}

/** Returns the id of a file's copy in a store. */
export const toCopyId = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  version === 0 ? id : `${id}.${version}`;

/** The maximum number of bytes of files in one result. They are stored together with its event. */
const MAX_RESULT_BYTES = 12 * 1024 * 1024;

/** The functions that store the files of a result. */
interface ResultFileKeeper {
  /** Stores one file. @throws FileRefusedError if it is too large, or the session has no room for it. */
  readonly keep: (file: NewFile) => Promise<StoredFile>;
  readonly secrets: Secrets;
  readonly onLost: (problem: string) => void;
}

/**
 * Returns a result with references instead of its files' bytes. If a file cannot be stored, a note for the
 * model replaces it, and `onLost` reports it to the developer. The rest of the result is still returned,
 * because the tool has already run.
 */
export async function withKeptFiles(
  result: ToolResult,
  { keep, secrets, onLost }: ResultFileKeeper,
): Promise<ToolResult> {
  const parts: ContentPart[] = [];
  let bytes = 0;
  for (const part of listResultParts(result)) {
    if (!isFile(part) || !isNewFile(part)) {
      parts.push(part);
      continue;
    }
    bytes += part.bytes.byteLength;
    try {
      if (bytes > MAX_RESULT_BYTES) throw resultFilesError;
      parts.push(await keep(withoutSecrets(part, secrets)));
    } catch (thrown) {
      if (thrown instanceof InterruptionError) throw thrown;
      const why = thrown instanceof FileRefusedError ? thrown.message : STORE_FAILED_NOTE;
      parts.push({ type: 'text', text: `${formatFileLine(part)} (${why})` });
      onLost(getThrownMessage('', thrown));
    }
  }
  return createToolResult({ ...result, parts });
}

const resultFilesError = new FileRefusedError(
  `The files of one result are larger than ${MAX_RESULT_BYTES} bytes in total.`,
);

/** The reason that the model reads if a store fails, in place of the store's own message. */
const STORE_FAILED_NOTE = 'It could not be kept now.';

/**
 * Removes secrets from a file's name, and from the content of a text file, because models read it as text.
 */
function withoutSecrets(file: NewFile, secrets: Secrets): NewFile {
  const { name, mediaType, bytes } = file;
  const named = name === undefined ? file : { ...file, name: secrets.redact(name) };
  if (!isTextType(mediaType)) return named;
  const text = new TextDecoder().decode(bytes);
  const clean = secrets.redact(text);
  return clean === text ? named : { ...named, bytes: ENCODER.encode(clean) };
}

/** A file's id: SHA-256 in hex. */
const FILE_ID = /^[0-9a-f]{64}$/;

export const isFileId = (id: string): boolean => FILE_ID.test(id);

/** The files of a loop without a session. They are stored as long as the loop exists. */
export class MemoryFiles implements LoopFiles, ReadableFiles {
  readonly #files = new Map<string, NewFile>();
  readonly #withoutFiles = new Set<string>();

  keep(result: ToolResult, secrets: Secrets, onLost: (problem: string) => void): Promise<ToolResult> {
    return withKeptFiles(result, { keep: (file) => this.#keep(file), secrets, onLost });
  }

  show(loop: ShowingLoop): Promise<ShownFiles | undefined> {
    return showFiles({ files: this, withoutFiles: this.#withoutFiles }, loop);
  }

  async #keep(file: NewFile): Promise<StoredFile> {
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

  async gone(): Promise<ReadonlyMap<string, BlobGoneReason>> {
    return NO_GONE_FILES;
  }

  async find(id: string): Promise<NewFile | undefined> {
    return this.#files.get(id);
  }
}

const NO_GONE_FILES: ReadonlyMap<string, BlobGoneReason> = new Map();
