import type { BlobGone } from '../../journal/blob.ts';
import { isStart } from '../../journal/conversation.ts';
import type { Message } from '../../journal/state.ts';
import type { ShowingLoop, ShownContent, ShownFiles } from '../../loop/loop-files.ts';
import { ModelError, type ModelMessage, type ModelRequest } from '../../model/chat-model.ts';
import { fittedFiles } from '../../model/given-to.ts';
import type { MessagePart } from '../../model/parts.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import {
  type ContentPart,
  type FileContent,
  fileLine,
  fromBase64,
  inWords,
  isFile,
  isNew,
  isStored,
  isText,
  type LinkedFile,
  placed,
  type StoredFile,
  textsOf,
} from '../../tool/content.ts';
import { paragraphs } from '../../tool/json.ts';
import { partsOfResult, shownText } from '../../tool/tool-result.ts';

/** The files in a request: base64 by id for stored files, and URLs. */
type CarriedFiles = ReadonlyMap<string, string | GoneFile>;

/** A deleted or expired file. Its line in the conversation says so. */
interface GoneFile {
  readonly gone: BlobGone;
}

/** The maximum number of bytes of files in one request. The newest are kept. */
const MAX_REQUEST_FILES = 16 * 1024 * 1024;

/**
 * Reads the files for a loop's next request: the newest 16 MiB of its conversation. Files older than the
 * first that does not fit are only named by their ids.
 *
 * @throws errors as `LoopFiles.read` does.
 */
export const filesToShow = async (
  { files, withoutFiles }: Shelf,
  { frame }: Pick<ShowingLoop, 'frame'>,
): Promise<CarriedFiles> => {
  const named = filesOf(frame.messages).filter(isStored);
  const gone = named.length === 0 ? NO_GONE : await files.gone(named);
  const shown = lastFiles(withoutFiles.has(frame.id) ? newestOf(frame.messages) : frame.messages, gone);
  if (shown.length === 0 && gone.size === 0) return NONE;
  const linked = shown.filter(isLinked).map(({ url }) => [url, url] as const);
  const lost = [...gone].map(([id, why]) => [id, { gone: why }] as const);
  return new Map<string, string | GoneFile>([
    ...(await files.read(shown.filter(isStored))),
    ...linked,
    ...lost,
  ]);
};

const NO_GONE: ReadonlyMap<string, BlobGone> = new Map();

/** The reader of files, and the state of the loops that use it. */
interface Shelf {
  readonly files: ReadableFiles;
  /**
   * The ids of loops whose model rejected a request with files of earlier messages. From then on, those files
   * are only described in text.
   */
  readonly withoutFiles: Set<string>;
}

/** A reader of stored files. */
export interface ReadableFiles {
  /**
   * Returns the bytes of these files in base64, by id. Missing files are left out. Each file is fetched once
   * per invocation.
   *
   * @throws Interrupted if the session cannot be reached. Another invocation then continues the turn.
   */
  read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>>;
  /** Returns the deleted ones of these files by id, with the reason. Throws as `read` does. */
  gone(files: readonly StoredFile[]): Promise<ReadonlyMap<string, BlobGone>>;
}

/**
 * Reads the files for a loop's next request. Returns `undefined` if its conversation has no files. Throws as
 * `ReadableFiles` does.
 */
export async function showFiles(shelf: Shelf, loop: ShowingLoop): Promise<ShownFiles | undefined> {
  if (filesOf(loop.frame.messages).length === 0) return undefined;
  const { spec } = loop;
  const carried = await filesToShow(shelf, loop);
  return {
    message: (message) => toShownMessage(message, carried),
    result: (text, parts, most) =>
      toShownContent(text === inWords(parts) ? parts : placed(text, parts.filter(isFile)), carried, most),
    fitted: (messages) => fittedFiles(spec.model, messages, spec.accepts),
    isRefused: (request, failure) => isRefusedForFiles(shelf, loop, { request, failure }),
  };
}

/**
 * Returns the message that started the turn. If the model rejects a file in it, its sender must receive the
 * error.
 */
const newestOf = (messages: readonly Message[]): readonly Message[] => {
  const newest = messages.findLast(isStart);
  return newest ? [newest] : [];
};

/**
 * Returns `true` if the model rejected a request and can be asked again without the files of earlier messages
 * and of results. If one of them is unreadable, the model would otherwise reject every later request of the
 * session. Returns `true` once per loop and invocation.
 */
function isRefusedForFiles(
  { withoutFiles }: Shelf,
  { frame, spec, log }: ShowingLoop,
  { request: { messages }, failure }: Refused,
): boolean {
  const isRefusal =
    failure instanceof ModelError && failure.failure === 'bad-request' && !failure.outputBegan;
  if (!isRefusal || withoutFiles.has(frame.id)) return false;
  const still = lastFiles(newestOf(frame.messages)).map(keyOf);
  if (messages.flatMap(sentIn).every((key) => still.includes(key))) return false;
  withoutFiles.add(frame.id);
  const message =
    `the model '${spec.model.name}' refused a request with files; it is asked again without those of earlier ` +
    `messages and of results. ${failure.message}`;
  log({ level: 'warn', event: 'other', model: spec.model.name, message });
  return true;
}

/** A failed request. */
interface Refused {
  readonly request: Pick<ModelRequest, 'messages'>;
  readonly failure: unknown;
}

/**
 * Returns the keys of the files that a message was sent with. A message has no files if the model accepts
 * none in it.
 */
const sentIn = (message: ModelMessage): readonly string[] =>
  message.role === 'user' || message.role === 'tool'
    ? (message.parts ?? []).flatMap((part) => (part.type === 'file' ? (part.id ?? part.data) : []))
    : [];

const NONE: CarriedFiles = new Map();

type SentFile = StoredFile | LinkedFile;

const keyOf = (file: SentFile): string => (isStored(file) ? file.id : file.url);

const filesOf = (messages: readonly Message[]): readonly SentFile[] =>
  messages.flatMap(partsOf).filter(isSent);

function lastFiles(messages: readonly Message[], gone = NO_GONE): readonly SentFile[] {
  const isKept = (file: SentFile): boolean => !isStored(file) || !gone.has(file.id);
  const all = filesOf(messages).filter(isKept).toReversed();
  let bytes = 0;
  const end = all.findIndex((file) => {
    bytes += isStored(file) ? file.size : 0;
    return bytes > MAX_REQUEST_FILES;
  });
  return end === -1 ? all : all.slice(0, end);
}

const isSent = (part: ContentPart): part is SentFile => isFile(part) && !isNew(part);

const isLinked = (file: SentFile): file is LinkedFile => !isStored(file);

const partsOf = (message: Message): readonly ContentPart[] =>
  message.role === 'user'
    ? (message.parts ?? [])
    : message.calls.flatMap(({ ended }) => (ended ? partsOfResult(ended.result) : []));

/** Converts a user's message. If a transformer has changed its text, the files follow the text. */
function toShownMessage(
  { text, parts }: Pick<Extract<HistoryMessage, { role: 'user' }>, 'text' | 'parts'>,
  files: CarriedFiles,
): ShownContent {
  if (!parts) return { text };
  const isChanged = text !== textsOf(parts);
  return toShownContent(isChanged ? [{ type: 'text', text }, ...parts.filter(isFile)] : parts, files);
}

/**
 * Converts a message or a result for a request, with each file after the line that names it. Its text and the
 * content of its text files have about `most` characters together.
 */
export function toShownContent(
  parts: readonly ContentPart[],
  files: CarriedFiles,
  most = Infinity,
): ShownContent {
  let left = most - inWords(parts).length;
  const shown = parts.flatMap((part): readonly MessagePart[] => {
    if (!isFile(part)) return [part];
    const content = isText(part.mediaType) ? wordsOf(part, files) : undefined;
    if (content === undefined) return toMessageParts(part, files);
    const words = shownText({ type: 'text', content }, Math.max(left, 0));
    left -= content.length;
    return [{ type: 'text', text: `${fileLine(part)}\n${words}` }];
  });
  const text = paragraphs(...shown.map((part) => (part.type === 'text' ? part.text : '')));
  return shown.some(({ type }) => type === 'file') ? { text, parts: shown } : { text };
}

/** Returns the content of a text file if the request carries it. */
function wordsOf(file: FileContent, files: CarriedFiles): string | undefined {
  const data = isStored(file) ? files.get(file.id) : undefined;
  return typeof data === 'string' ? decoder.decode(fromBase64(data)) : undefined;
}

function toMessageParts(file: FileContent, files: CarriedFiles): readonly MessagePart[] {
  const { mediaType, name } = file;
  const line = { type: 'text', text: fileLine(file) } as const;
  const told = { type: 'file', mediaType, ...(name !== undefined && { name }) } as const;
  if (isNew(file)) return [line];
  const data = files.get(keyOf(file));
  if (data === undefined) return [{ ...line, text: `${line.text} ${NOT_SHOWN_NOW}` }];
  if (typeof data !== 'string') return [{ ...line, text: `${line.text} ${GONE[data.gone]}` }];
  if (!isStored(file)) return [line, { ...told, data }];
  const { id, size } = file;
  return [line, { ...told, data, id, size }];
}

const decoder = new TextDecoder();

/** The text after the line of a deleted file. The model can still remember its content. */
const GONE: Readonly<Record<BlobGone, string>> = {
  deleted: '(deleted; it can no longer be read)',
  expired: '(expired; it can no longer be read)',
};

/** The text after the line of a file that does not fit in the request, or no longer exists. */
const NOT_SHOWN_NOW = '(not shown any more)';
