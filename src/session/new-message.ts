import type { KeptFile } from '../journal/session-port.ts';
import { sha256Hex } from '../tool/async.ts';
import { type ContentPart, isFile, isNew, type NewFile, type StoredFile, textsOf } from '../tool/content.ts';

/** A part of a message on its way into a session: its files come with their bytes, or as addresses. */
export type SentPart = Exclude<ContentPart, StoredFile>;

/** A message as it is journaled, and the files that are to be kept with it. */
interface NewMessage {
  /** What it says in words. */
  readonly message: string;
  /** All of it in its order; absent when it holds no file. */
  readonly parts?: readonly ContentPart[];
  /** Each once, also where the message holds the same bytes several times. */
  readonly files?: readonly KeptFile[];
}

/** Names the files of a message by the SHA-256 of their bytes. Text that is blank is left out beside files. */
export async function toNewMessage(sent: string | readonly SentPart[]): Promise<NewMessage> {
  if (typeof sent === 'string') return { message: sent };
  const parts: ContentPart[] = [];
  const files = new Map<string, KeptFile>();
  for (const part of sent) {
    if (isNew(part)) {
      const file = await toKeptFile(part);
      if (!files.has(file.id)) files.set(file.id, file);
      const { bytes: _, ...named } = { ...part, id: file.id, size: file.size };
      parts.push(named);
    } else if (isFile(part) || part.text.trim() !== '') parts.push(part);
  }
  const message = textsOf(parts);
  return parts.some(isFile) ? { message, parts, files: [...files.values()] } : { message };
}

async function toKeptFile({ bytes: given, mediaType, name }: NewFile): Promise<KeptFile> {
  const bytes = toOwnBytes(given);
  const id = await sha256Hex(bytes);
  return { id, mediaType, ...(name !== undefined && { name }), size: bytes.byteLength, bytes };
}

/** Bytes that are all of their buffer: where one is a part of a larger buffer, all of that would be sent along. */
function toOwnBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}
