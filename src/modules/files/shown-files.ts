import type { BlobGoneReason } from '../../journal/blob.ts';
import { isStart } from '../../journal/conversation.ts';
import type { Message } from '../../journal/state.ts';
import type { ShowingLoop, ShownContent, ShownFiles } from '../../loop/loop-files.ts';
import { ModelError, type ModelMessage, type ModelRequest } from '../../model/chat-model.ts';
import { fitFiles } from '../../model/given-to.ts';
import type { MessagePart } from '../../model/parts.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import {
  type ContentPart,
  type FileContent,
  formatFileLine,
  fromBase64,
  isFile,
  isNewFile,
  isStoredFile,
  isTextType,
  joinTexts,
  type LinkedFile,
  type StoredFile,
  toContentText,
  toPartsWithFiles,
} from '../../tool/content.ts';
import { joinParagraphs } from '../../tool/json.ts';
import { listResultParts, toModelText } from '../../tool/tool-result.ts';

/** The files in a request, by id or URL: the base64 of stored files, and URLs. */
type CarriedFiles = ReadonlyMap<string, string | GoneFile>;

/** A deleted or expired file. Its line in the conversation shows the reason. */
interface GoneFile {
  readonly gone: BlobGoneReason;
}

/** The maximum number of bytes of files in one request. The newest files are sent. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/**
 * Reads the files for a loop's next request: the newest 16 MiB of its conversation. If a file does not fit,
 * the request contains only the names of that file and all older ones.
 *
 * @throws errors as `LoopFiles.read` does.
 */
export const readFilesToShow = async (
  { files, withoutFiles }: LoopFileReader,
  { frame }: Pick<ShowingLoop, 'frame'>,
): Promise<CarriedFiles> => {
  const named = listFiles(frame.messages).filter(isStoredFile);
  const gone = named.length === 0 ? NO_GONE_FILES : await files.gone(named);
  const shown = listNewestFiles(
    withoutFiles.has(frame.id) ? listTurnMessages(frame.messages) : frame.messages,
    gone,
  );
  if (shown.length === 0 && gone.size === 0) return NO_FILES;
  const linked = shown.filter(isLinked).map(({ url }) => [url, url] as const);
  const lost = [...gone].map(([id, why]) => [id, { gone: why }] as const);
  return new Map<string, string | GoneFile>([
    ...(await files.read(shown.filter(isStoredFile))),
    ...linked,
    ...lost,
  ]);
};

const NO_GONE_FILES: ReadonlyMap<string, BlobGoneReason> = new Map();

/** A reader of files, and the state of the loops that use it. */
interface LoopFileReader {
  readonly files: ReadableFiles;
  /**
   * The ids of loops whose model rejected a request with files of earlier messages. Later requests only
   * describe those files in text.
   */
  readonly withoutFiles: Set<string>;
}

export interface ReadableFiles {
  /**
   * Returns the bytes of these files in base64, by id. Omits missing files. Fetches each file once per
   * invocation.
   *
   * @throws InterruptionError if the session cannot be reached. Another invocation then continues the turn.
   */
  read(files: readonly StoredFile[]): Promise<ReadonlyMap<string, string>>;
  /** Returns which of these files are deleted, by id, with the reason. Throws like `read`. */
  gone(files: readonly StoredFile[]): Promise<ReadonlyMap<string, BlobGoneReason>>;
}

/**
 * Reads the files for a loop's next request. Returns `undefined` if its conversation has no files. Throws
 * like `ReadableFiles`.
 */
export async function showFiles(shelf: LoopFileReader, loop: ShowingLoop): Promise<ShownFiles | undefined> {
  if (listFiles(loop.frame.messages).length === 0) return undefined;
  const { spec } = loop;
  const carried = await readFilesToShow(shelf, loop);
  return {
    message: (message) => toShownMessage(message, carried),
    result: (text, parts, most) =>
      toShownContent(
        text === toContentText(parts) ? parts : toPartsWithFiles(text, parts.filter(isFile)),
        carried,
        most,
      ),
    fitMessages: (messages) => fitFiles(spec.model, messages, spec.accepts),
    isRefused: (request, failure) => isRefusedForFiles(shelf, loop, { request, failure }),
  };
}

/**
 * Returns the message that started the turn. If the model rejects a file in that message, its sender must
 * receive the error.
 */
const listTurnMessages = (messages: readonly Message[]): readonly Message[] => {
  const newest = messages.findLast(isStart);
  return newest ? [newest] : [];
};

/**
 * Returns `true` if the model rejected a request that can be repeated without the files of earlier messages
 * and tool results. Without this repeat, one unreadable file would make the model reject every later request
 * in the session. Returns `true` at most once per loop and invocation.
 */
function isRefusedForFiles(
  { withoutFiles }: LoopFileReader,
  { frame, spec, log }: ShowingLoop,
  { request: { messages }, failure }: FailedRequest,
): boolean {
  const isRefusal =
    failure instanceof ModelError && failure.failure === 'bad-request' && !failure.outputBegan;
  if (!isRefusal || withoutFiles.has(frame.id)) return false;
  const still = listNewestFiles(listTurnMessages(frame.messages)).map(toFileKey);
  if (messages.flatMap(listSentFiles).every((key) => still.includes(key))) return false;
  withoutFiles.add(frame.id);
  const message =
    `the model '${spec.model.name}' refused a request with files; it is asked again without those of earlier ` +
    `messages and of results. ${failure.message}`;
  log({ level: 'warn', event: 'other', model: spec.model.name, message });
  return true;
}

interface FailedRequest {
  readonly request: Pick<ModelRequest, 'messages'>;
  readonly failure: unknown;
}

/**
 * Returns the keys of the files that a message was sent with. Empty if the model accepts no files in
 * messages.
 */
const listSentFiles = (message: ModelMessage): readonly string[] =>
  message.role === 'user' || message.role === 'tool'
    ? (message.parts ?? []).flatMap((part) => (part.type === 'file' ? (part.id ?? part.data) : []))
    : [];

const NO_FILES: CarriedFiles = new Map();

type SentFile = StoredFile | LinkedFile;

const toFileKey = (file: SentFile): string => (isStoredFile(file) ? file.id : file.url);

const listFiles = (messages: readonly Message[]): readonly SentFile[] =>
  messages.flatMap(getParts).filter(isSentFile);

function listNewestFiles(messages: readonly Message[], gone = NO_GONE_FILES): readonly SentFile[] {
  const isKept = (file: SentFile): boolean => !isStoredFile(file) || !gone.has(file.id);
  const all = listFiles(messages).filter(isKept).toReversed();
  let bytes = 0;
  const end = all.findIndex((file) => {
    bytes += isStoredFile(file) ? file.size : 0;
    return bytes > MAX_REQUEST_BYTES;
  });
  return end === -1 ? all : all.slice(0, end);
}

const isSentFile = (part: ContentPart): part is SentFile => isFile(part) && !isNewFile(part);

const isLinked = (file: SentFile): file is LinkedFile => !isStoredFile(file);

const getParts = (message: Message): readonly ContentPart[] =>
  message.role === 'user'
    ? (message.parts ?? [])
    : message.calls.flatMap(({ ended }) => (ended ? listResultParts(ended.result) : []));

/** Converts a user's message. If a transformer has changed its text, the files follow the text. */
function toShownMessage(
  { text, parts }: Pick<Extract<HistoryMessage, { role: 'user' }>, 'text' | 'parts'>,
  files: CarriedFiles,
): ShownContent {
  if (!parts) return { text };
  const isChanged = text !== joinTexts(parts);
  return toShownContent(isChanged ? [{ type: 'text', text }, ...parts.filter(isFile)] : parts, files);
}

/**
 * Converts a message or a result for a request, with each file after the line that names it. The text and the
 * content of text files together have about `most` characters.
 */
export function toShownContent(
  parts: readonly ContentPart[],
  files: CarriedFiles,
  most = Infinity,
): ShownContent {
  let left = most - toContentText(parts).length;
  const shown = parts.flatMap((part): readonly MessagePart[] => {
    if (!isFile(part)) return [part];
    const content = isTextType(part.mediaType) ? findTextContent(part, files) : undefined;
    if (content === undefined) return toMessageParts(part, files);
    const words = toModelText({ type: 'text', content }, Math.max(left, 0));
    left -= content.length;
    return [{ type: 'text', text: `${formatFileLine(part)}\n${words}` }];
  });
  const text = joinParagraphs(...shown.map((part) => (part.type === 'text' ? part.text : '')));
  return shown.some(({ type }) => type === 'file') ? { text, parts: shown } : { text };
}

/** Returns the content of a text file if the request contains it. */
function findTextContent(file: FileContent, files: CarriedFiles): string | undefined {
  const data = isStoredFile(file) ? files.get(file.id) : undefined;
  return typeof data === 'string' ? decoder.decode(fromBase64(data)) : undefined;
}

function toMessageParts(file: FileContent, files: CarriedFiles): readonly MessagePart[] {
  const { mediaType, name } = file;
  const line = { type: 'text', text: formatFileLine(file) } as const;
  const told = { type: 'file', mediaType, ...(name !== undefined && { name }) } as const;
  if (isNewFile(file)) return [line];
  const data = files.get(toFileKey(file));
  if (data === undefined) return [{ ...line, text: `${line.text} ${NOT_SHOWN_NOTE}` }];
  if (typeof data !== 'string') return [{ ...line, text: `${line.text} ${GONE_NOTES[data.gone]}` }];
  if (!isStoredFile(file)) return [line, { ...told, data }];
  const { id, size } = file;
  return [line, { ...told, data, id, size }];
}

const decoder = new TextDecoder();

/** The text after the line of a deleted file. Earlier replies can still repeat its content. */
const GONE_NOTES: Readonly<Record<BlobGoneReason, string>> = {
  deleted: '(deleted; it can no longer be read)',
  expired: '(expired; it can no longer be read)',
};

/** The text after the line of a file that does not fit in the request, or no longer exists. */
const NOT_SHOWN_NOTE = '(not shown any more)';
