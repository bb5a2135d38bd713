/** Files as they are kept: by the hash of their bytes, and those of a result in place of their bytes. */
import type { BlobGone, KeptBlob } from '../../journal/blob.ts';
import { messageOf } from '../../loop/exception-processor.ts';
import { Interrupted } from '../../loop/holder.ts';
import type { LoopFiles, NamedFiles, ShowingLoop, ShownFiles } from '../../loop/loop-files.ts';
import { ENCODER, sha256Hex } from '../../tool/async.ts';
import {
  type ContentPart,
  fileLine,
  isFile,
  isNew,
  isStored,
  isText,
  type NewFile,
  type StoredFile,
  toBase64,
} from '../../tool/content.ts';
import type { Secrets } from '../../tool/secrets.ts';
import { partsOfResult, type ToolResult, toolResult } from '../../tool/tool-result.ts';
import { type ReadableFiles, showFiles } from './shown-files.ts';

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

/** The most bytes of one file. */
export const MAX_FILE = 8 * 1024 * 1024;

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

/** The most bytes of all files of one session. */
export const MAX_SESSION_FILES = 50 * 1024 * 1024;

/** The files of a message by the hashes of their bytes, each of which is kept once. @throws FileRefusedError as `toStored` does. */
export async function namedFiles(said: readonly ContentPart[]): Promise<NamedFiles> {
  const blobs = new Map<string, KeptBlob>();
  const parts: ContentPart[] = [];
  for (const part of said) {
    const stored = isNew(part) ? await toStored(part) : part;
    parts.push(stored);
    if (isNew(part) && isStored(stored) && !blobs.has(stored.id)) blobs.set(stored.id, toBlob(stored, part));
  }
  return blobs.size === 0 ? { parts } : { parts, blobs: [...blobs.values()], room: MAX_SESSION_FILES };
}

/** Returns what a session keeps of a file, whose bytes are given, or are outside. */
export const toBlob = (
  { id, size, mediaType, name }: Omit<StoredFile, 'type'>,
  { bytes, outside }: Pick<KeptBlob, 'bytes' | 'outside'>,
): KeptBlob => ({
  id,
  size,
  about: JSON.stringify({ mediaType, name }),
  ...(outside ? { outside } : { bytes: bytes && alone(bytes) }),
});

/** Of a view, all that it looks at would be sent to the object. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();

/** The file of a blob. */
export function fileOf({
  id,
  size,
  about,
}: Pick<KeptBlob, 'id' | 'size' | 'about'>): Omit<StoredFile, 'type'> {
  const { mediaType, name } = JSON.parse(about) as Pick<StoredFile, 'mediaType' | 'name'>; // written by toBlob
  return { id, mediaType, ...(name !== undefined && { name }), size };
}

/** The id of a copy of a file in a store. */
export const copyOf = ({ id, version }: { readonly id: string; readonly version: number }): string =>
  version === 0 ? id : `${id}.${version}`;

/** The most bytes of files in one result: they travel with the event that names them. */
const MAX_RESULT_FILES = 12 * 1024 * 1024;

/** How the files of a result are kept. */
interface Keeping {
  /** Keeps one file. @throws FileRefusedError if it is too large, or there is no room for it. */
  readonly keep: (file: NewFile) => Promise<StoredFile>;
  readonly secrets: Secrets;
  readonly onLost: (problem: string) => void;
}

/**
 * A result whose files are kept, so that it is data from here on. Of a file that is not kept the model is told in its place, and the
 * developer by `onLost`: the tool has run, and nothing else of its result is lost.
 */
export async function withKeptFiles(
  result: ToolResult,
  { keep, secrets, onLost }: Keeping,
): Promise<ToolResult> {
  const parts: ContentPart[] = [];
  let bytes = 0;
  for (const part of partsOfResult(result)) {
    if (!isFile(part) || !isNew(part)) {
      parts.push(part);
      continue;
    }
    bytes += part.bytes.byteLength;
    try {
      if (bytes > MAX_RESULT_FILES) throw tooMany;
      parts.push(await keep(withoutSecrets(part, secrets)));
    } catch (thrown) {
      if (thrown instanceof Interrupted) throw thrown;
      const why = thrown instanceof FileRefusedError ? thrown.message : NOT_NOW;
      parts.push({ type: 'text', text: `${fileLine(part)} (${why})` });
      onLost(messageOf('', thrown));
    }
  }
  return toolResult({ ...result, parts });
}

const tooMany = new FileRefusedError(`The files of one result may weigh ${MAX_RESULT_FILES} bytes together.`);

/** The model is not told why a store has failed: those are no words for it. */
const NOT_NOW = 'It could not be kept now.';

/** A file whose name holds no secrets, nor does it itself where it is text, which models are told as words. */
function withoutSecrets(file: NewFile, secrets: Secrets): NewFile {
  const { name, mediaType, bytes } = file;
  const named = name === undefined ? file : { ...file, name: secrets.redact(name) };
  if (!isText(mediaType)) return named;
  const text = new TextDecoder().decode(bytes);
  const clean = secrets.redact(text);
  return clean === text ? named : { ...named, bytes: ENCODER.encode(clean) };
}

/** A file's id: SHA-256 in hex. */
const FILE_ID = /^[0-9a-f]{64}$/;

/** Tells whether a file can have this id. */
export const isFileId = (id: string): boolean => FILE_ID.test(id);

/** The files of a loop without a session: they are there as long as it is. */
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

  async gone(): Promise<ReadonlyMap<string, BlobGone>> {
    return NONE;
  }

  async find(id: string): Promise<NewFile | undefined> {
    return this.#files.get(id);
  }
}

const NONE: ReadonlyMap<string, BlobGone> = new Map();
