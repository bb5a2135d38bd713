import type { AcceptedMedia, ChatModel, ModelMedia, ModelMessage } from './chat-model.ts';
import {
  type MessageFile,
  type MessagePart,
  type ProviderJson,
  type ReplyMaker,
  type ReplyPart,
  type RequestedCall,
  toPlainParts,
} from './parts.ts';

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/**
 * Returns the parts of a reply in a conversation, in order. For a reply without parts, these are its text,
 * unless it is empty, and then its calls.
 */
export const partsOf = ({ parts, text, toolCalls }: Assistant): readonly ReplyPart[] =>
  parts ?? toPlainParts(text, toolCalls);

/**
 * Returns a reply in the form for this model. Its own replies stay whole, and so do all replies for a model
 * that chooses from candidates. A reply of another model loses the data that only its maker can read. A text
 * describes the tools that the other provider ran.
 */
export const adaptReply = (
  model: Pick<ChatModel, 'provider' | 'name' | 'candidates' | 'readsThoughtsOf'>,
  reply: Assistant,
): Assistant =>
  model.candidates || !reply.parts || canReadReply(model, reply) ? reply : toPlainReply(reply);

/**
 * Returns whether a model reads everything in a reply: it made the reply, or reads the thoughts of the maker.
 */
export const canReadReply = (
  { provider = '', name, readsThoughtsOf }: Pick<ChatModel, 'provider' | 'name' | 'readsThoughtsOf'>,
  { madeBy }: { readonly madeBy?: ReplyMaker | undefined },
): boolean =>
  madeBy !== undefined &&
  ((madeBy.provider === provider && madeBy.model === name) || readsThoughtsOf?.(madeBy) === true);

/** Returns a reply without data that only its maker could read. */
const toPlainReply = ({ role, text, toolCalls, parts = [] }: Assistant): Assistant => ({
  role,
  text: replyToText(parts, { text, calls: toolCalls }),
  toolCalls,
});

/**
 * Returns the text of a reply, followed by a description of the tools and files of its provider. It is never
 * empty, unless the reply has calls: some providers refuse an empty message.
 */
export function replyToText(
  parts: readonly ReplyPart[],
  { text, calls }: { readonly text: string; readonly calls: readonly unknown[] },
): string {
  const ran = parts.flatMap(toPartText);
  const words = ran.length === 0 ? text : [text, `(${ran.join(' ')})`].filter(Boolean).join('\n\n');
  return words.trim() === '' && calls.length === 0 ? NO_RESPONSE_TEXT : words;
}

/** The text of a reply without content. */
export const NO_RESPONSE_TEXT = '(no response)';

/** Returns a part as text. Empty for a part that needs no text, or that only its maker can read. */
function toPartText(part: ReplyPart): readonly string[] {
  switch (part.type) {
    case 'tool-call':
      return part.ranBy ? [`Its provider ran '${part.name}' with the input ${part.input}.`] : [];
    case 'tool-result':
      return [`'${part.name}' ${part.isError ? 'failed' : 'answered'}: ${formatShortJson(part.result)}`];
    case 'file':
      return part.ofReasoning ? [] : [`It made a file of the type '${part.mediaType}'.`];
    default:
      return [];
  }
}

/**
 * Returns the beginning of a provider tool's result. It can be pages long, and this model did not request it.
 */
const formatShortJson = (value: ProviderJson): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_RESULT_CHARACTERS ? `${text.slice(0, MAX_RESULT_CHARACTERS)}…` : text;
};

const MAX_RESULT_CHARACTERS = 2_000;

/**
 * The heading of tool results that the model does not see as its own calls. Lines of `formatCallResult` follow.
 */
export const TOOL_RESULTS_HEADING = 'You have called tools before this message, and they answered:';

/** Returns a call and its result as a line below `TOOL_RESULTS_HEADING`. */
export const formatCallResult = (
  { name, input }: Pick<RequestedCall, 'name' | 'input'>,
  answer: string,
): string => `- ${name} with the input ${input} answered: ${answer}`;

/** Returns the model that made a reply: the candidate with these names, or the requested model itself. */
export const resolveMaker = (asked: ChatModel, madeBy: ReplyMaker): ChatModel =>
  findMaker(asked, madeBy) ?? asked;

/** Returns the model or its candidate with these names. */
export const findMaker = (model: ChatModel, madeBy: ReplyMaker): ChatModel | undefined =>
  model.candidates
    ? model.candidates.map((one) => findMaker(one, madeBy)).find((found) => found !== undefined)
    : model.name === madeBy.model && (model.provider ?? '') === madeBy.provider
      ? model
      : undefined;

/** A message that can have parts. */
type MessageWithParts = Extract<ModelMessage, { readonly role: 'user' | 'tool' }>;

/** Returns whether a message has parts, which can include files. */
export const hasParts = (message: ModelMessage): message is MessageWithParts =>
  (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;

/** A JSON replacer that omits the bytes of sent files. Their ids identify the content. */
export function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  return key === 'data' && isSentFile(this) ? undefined : value;
}

const isSentFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'type' in value && value.type === 'file';

/**
 * Returns an estimate of the tokens of a message's files. It errs on the high side, because the provider's
 * count is unknown.
 */
export const sumFileTokens = (message: ModelMessage): number =>
  hasParts(message)
    ? (message.parts ?? []).reduce(
        (sum, part) => sum + (part.type === 'file' ? estimateFileTokens(part) : 0),
        0,
      )
    : 0;

/**
 * Returns an estimate of a file's tokens. Images are scaled down, and cost a few thousand tokens at most. A
 * document costs its text plus an image for each page. Except for very short documents, that is less than the
 * number of bytes, as is the cost of audio. The size of a linked file is unknown.
 */
function estimateFileTokens({ mediaType, size = UNKNOWN_SIZE }: MessageFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : Math.max(size, IMAGE_TOKENS);
}

const IMAGE_TOKENS = 8_192;
const UNKNOWN_SIZE = 262_144;

/** Returns whether a file is sent as a URL. Base64 contains no colon, and every URL does. */
export const isLinked = ({ data }: Pick<MessageFile, 'data'>): boolean => data.includes(':');

/** Returns whether a media type is in the list, exactly or as `image/*`. */
export const isMediaTypeIn = (mediaType: string, named: readonly string[]): boolean =>
  named.some((one) => one === mediaType || (one.endsWith('/*') && mediaType.startsWith(one.slice(0, -1))));

/** Returns whether a file is accepted here. */
export const isAcceptedFile = ({ data, url }: AcceptedMedia, file: MessageFile): boolean =>
  isMediaTypeIn(file.mediaType, isLinked(file) ? url : data);

/** Returns the description of a file for an error message. */
export const describeFile = (file: MessageFile): string =>
  `a file of the type '${file.mediaType}'${isLinked(file) ? ' by its URL' : ''}`;

/** Returns the URL of a file, or a data URL with its bytes. */
export const toFileUrl = (file: MessageFile): string =>
  isLinked(file) ? file.data : `data:${file.mediaType};base64,${file.data}`;

/**
 * Returns the messages with the files that this model accepts, in the positions that it accepts. A text
 * replaces other files. A model with candidates receives all files. `accepts` lists the agent's types for a
 * model whose adapter does not know.
 */
export const fitFiles = (
  model: Pick<ChatModel, 'candidates' | 'media'>,
  messages: readonly ModelMessage[],
  accepts: readonly string[] = [],
): readonly ModelMessage[] =>
  model.candidates
    ? messages
    : fitMedia(model.media ?? { message: { data: accepts, url: accepts }, result: NO_MEDIA }, messages);

const NO_MEDIA: AcceptedMedia = { data: [], url: [] };

/**
 * Returns the messages with the files that the model accepts. If results cannot contain files, a message
 * after all results of a reply contains them. A text replaces every other file.
 */
function fitMedia(
  { message, result }: ModelMedia,
  messages: readonly ModelMessage[],
): readonly ModelMessage[] {
  if (!messages.some(hasParts)) return messages;
  let moved: MessagePart[] = [];
  const takeMovedParts = (): readonly ModelMessage[] => {
    const parts = moved;
    moved = [];
    return parts.length === 0 ? [] : [withParts({ role: 'user', text: '' }, [FILES_HEADING, ...parts])];
  };
  const shown = messages.flatMap((one): readonly ModelMessage[] => {
    const before = one.role === 'tool' ? [] : takeMovedParts();
    if (!hasParts(one)) return [...before, one];
    const isResult = one.role === 'tool';
    const parts = (one.parts ?? []).map((part): MessagePart => {
      if (part.type === 'text' || isAcceptedFile(isResult ? result : message, part)) return part;
      if (!isResult || !isAcceptedFile(message, part)) return createFileNotShownPart(part);
      moved.push({ type: 'text', text: formatFileLabel(part) }, part);
      return { type: 'text', text: FILE_FOLLOWS_NOTE };
    });
    return [...before, withParts(one, parts)];
  });
  return [...shown, ...takeMovedParts()];
}

/** Returns the message with these parts, or with only their text if they include no file. */
function withParts({ parts: _, ...message }: MessageWithParts, parts: readonly MessagePart[]): ModelMessage {
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
  return { ...message, text, ...(parts.some(({ type }) => type === 'file') && { parts }) };
}

/** Returns the text in place of a file. It follows the line that names the file. */
const createFileNotShownPart = ({ mediaType }: MessageFile): MessagePart => ({
  type: 'text',
  text: `(The file is not shown: this model takes no ${mediaType} here.)`,
});

const FILE_FOLLOWS_NOTE = '(The file follows behind the results.)';
const FILES_HEADING: MessagePart = { type: 'text', text: 'Files of the results above:' };

const formatFileLabel = ({ id, data, name, mediaType }: MessageFile): string =>
  [`File ${id ?? data}`, ...(name === undefined ? [] : [JSON.stringify(name)]), mediaType].join(', ');
