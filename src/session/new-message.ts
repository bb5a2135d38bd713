import type { KeptFile } from '../journal/session-port.ts';
import { toStored } from '../loop/loop-files.ts';
import { type ContentPart, isFile, isNew, textsOf } from '../tool/content.ts';

/** A message as it is journaled, and the files that are to be kept with it. */
interface NewMessage {
  /** What it says in words. */
  readonly message: string;
  /** All of it in its order; absent when it holds no file. */
  readonly parts?: readonly ContentPart[];
  /** Each once, also where the message holds the same bytes several times. */
  readonly files?: readonly KeptFile[];
}

/**
 * Names the files of a message by the hashes of their bytes. Text that is blank is left out.
 *
 * @throws FileRefusedError when a file is empty or too large.
 */
export async function toNewMessage(sent: string | readonly ContentPart[]): Promise<NewMessage> {
  if (typeof sent === 'string') return { message: sent };
  const parts: ContentPart[] = [];
  const files = new Map<string, KeptFile>();
  for (const part of sent) {
    if (isNew(part)) {
      const stored = await toStored(part);
      const { type: _, ...file } = stored;
      if (!files.has(file.id)) files.set(file.id, { ...file, bytes: part.bytes });
      parts.push(stored);
    } else if (isFile(part) || part.text.trim() !== '') parts.push(part);
  }
  const message = textsOf(parts);
  return parts.some(isFile) ? { message, parts, files: [...files.values()] } : { message };
}
