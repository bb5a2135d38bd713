/** Files as they are kept: by the hash of their bytes, and those of a result in place of their bytes. */
import type { KeptBlob } from '../../journal/blob.ts';
import { messageOf } from '../../loop/exception-processor.ts';
import { Interrupted } from '../../loop/holder.ts';
import type { NamedFiles } from '../../loop/loop-files.ts';
import { sha256Hex } from '../../tool/async.ts';
import {
  type ContentPart,
  fileLine,
  isFile,
  isNew,
  isStored,
  isText,
  type NewFile,
  type StoredFile,
} from '../../tool/content.ts';
import type { Secrets } from '../../tool/secrets.ts';
import { partsOfResult, type ToolResult, toolResult } from '../../tool/tool-result.ts';

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
  return clean === text ? named : { ...named, bytes: new TextEncoder().encode(clean) };
}
