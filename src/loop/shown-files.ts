import type { Message } from '../journal/state.ts';
import type { MessagePart } from '../model/parts.ts';
import { fromBase64 } from '../tool/base64.ts';
import {
  type ContentPart,
  type FileContent,
  fileLine,
  isFile,
  isNew,
  isStored,
  isText,
  type StoredFile,
} from '../tool/content.ts';
import { paragraphs } from '../tool/json.ts';
import { partsOfResult } from '../tool/tool-result.ts';
import type { Loop } from './loop.ts';

/** The bytes of the files that a request carries, in base64 and by their ids. */
export type ShownFiles = ReadonlyMap<string, string>;

/** The most bytes of files in one request: those that came last. */
const MAX_REQUEST_FILES = 16 * 1024 * 1024;

/**
 * Reads the files that the next request of a loop carries: the last 16 MiB of its conversation, and no file older than one that has
 * no room. Those before are named by their ids.
 *
 * @throws what `LoopFiles.read` does.
 */
export const filesToShow = async ({ files, frame }: Pick<Loop, 'files' | 'frame'>): Promise<ShownFiles> => {
  const shown = lastFiles(frame.messages);
  return shown.length === 0 ? NONE : files.read(shown);
};

const NONE: ShownFiles = new Map();

function lastFiles(messages: readonly Message[]): readonly StoredFile[] {
  const all = messages.flatMap(partsOf).filter(isStored).toReversed();
  let bytes = 0;
  const end = all.findIndex(({ size }) => {
    bytes += size;
    return bytes > MAX_REQUEST_FILES;
  });
  return end === -1 ? all : all.slice(0, end);
}

const partsOf = (message: Message): readonly ContentPart[] =>
  message.role === 'user'
    ? (message.parts ?? [])
    : message.calls.flatMap(({ ended }) => (ended ? partsOfResult(ended.result) : []));

/** What is sent of a message or of a result that has files. */
export interface ShownContent {
  /** In words alone. */
  readonly text: string;
  /** Absent where no file is sent. */
  readonly parts?: readonly MessagePart[];
}

/** A message or a result with files, as a request carries it: each file behind the line that names it. */
export function toShownContent(parts: readonly ContentPart[], files: ShownFiles): ShownContent {
  const shown = parts.flatMap((part) => (isFile(part) ? toMessageParts(part, files) : part));
  const text = paragraphs(...shown.map((part) => (part.type === 'text' ? part.text : '')));
  return shown.some(({ type }) => type === 'file') ? { text, parts: shown } : { text };
}

function toMessageParts(file: FileContent, files: ShownFiles): readonly MessagePart[] {
  const { mediaType, name } = file;
  const line = { type: 'text', text: fileLine(file) } as const;
  const told = { type: 'file', mediaType, ...(name !== undefined && { name }) } as const;
  if (isNew(file)) return [line];
  if (!isStored(file)) return [line, { ...told, data: file.url }];
  const { id, size } = file;
  const data = files.get(id);
  if (data === undefined) return [{ ...line, text: `${line.text} ${NOT_SHOWN_NOW}` }];
  if (isText(mediaType)) return [{ ...line, text: `${line.text}\n${decoder.decode(fromBase64(data))}` }];
  return [line, { ...told, data, id, size }];
}

const decoder = new TextDecoder();

/** Behind the line of a file that has no room in the request, or is not there any more. */
const NOT_SHOWN_NOW = '(not shown any more)';
