import type { ChatModel, MediaTaken, ModelMedia, ModelMessage } from './chat-model.ts';
import {
  type MadeBy,
  type MessageFile,
  type MessagePart,
  type ProviderJson,
  plainParts,
  type ReplyPart,
  type RequestedCall,
} from './parts.ts';

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/**
 * Answers the parts of a reply in a conversation, in their order: those that it has, and of one without parts its words, unless
 * there are none, and then its calls.
 */
export const partsOf = ({ parts, text, toolCalls }: Assistant): readonly ReplyPart[] =>
  parts ?? plainParts(text, toolCalls);

/**
 * A reply as this model may be given it. Its own replies stay whole, and so do those for a model that chooses from others. Of another's,
 * what only its maker can read is left out, and what its provider ran is told in words.
 */
export const givenTo = (
  model: Pick<ChatModel, 'provider' | 'name' | 'candidates' | 'readsThoughtsOf'>,
  reply: Assistant,
): Assistant => (model.candidates || !reply.parts || isReader(model, reply) ? reply : inOwnWords(reply));

/** Returns whether a model reads all that a reply holds: it, or one whose thoughts it reads, has made the reply. */
export const isReader = (
  { provider = '', name, readsThoughtsOf }: Pick<ChatModel, 'provider' | 'name' | 'readsThoughtsOf'>,
  { madeBy }: { readonly madeBy?: MadeBy | undefined },
): boolean =>
  madeBy !== undefined &&
  ((madeBy.provider === provider && madeBy.model === name) || readsThoughtsOf?.(madeBy) === true);

/** A reply without anything that only its maker could read. */
const inOwnWords = ({ role, text, toolCalls, parts = [] }: Assistant): Assistant => ({
  role,
  text: replyInWords(parts, { text, calls: toolCalls }),
  toolCalls,
});

/**
 * Answers the words of a reply, and behind them what its provider ran and made, as far as words can tell that. Never
 * nothing, unless the reply has calls: some providers refuse an empty message.
 */
export function replyInWords(
  parts: readonly ReplyPart[],
  { text, calls }: { readonly text: string; readonly calls: readonly unknown[] },
): string {
  const ran = parts.flatMap(wordsForPart);
  const words = ran.length === 0 ? text : [text, `(${ran.join(' ')})`].filter(Boolean).join('\n\n');
  return words.trim() === '' && calls.length === 0 ? NO_RESPONSE : words;
}

/** Stands for a reply that says nothing. */
export const NO_RESPONSE = '(no response)';

/** A part in words; nothing of one that need not be told, or that only its maker can read. */
function wordsForPart(part: ReplyPart): readonly string[] {
  switch (part.type) {
    case 'tool-call':
      return part.ranBy ? [`Its provider ran '${part.name}' with the input ${part.input}.`] : [];
    case 'tool-result':
      return [`'${part.name}' ${part.isError ? 'failed' : 'answered'}: ${shortJson(part.result)}`];
    case 'file':
      return part.ofReasoning ? [] : [`It made a file of the type '${part.mediaType}'.`];
    default:
      return [];
  }
}

/** The beginning of what a provider's own tool answered: it may be pages, and this model did not ask for them. */
const shortJson = (value: ProviderJson): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}…` : text;
};

const MAX_RESULT = 2_000;

/** Tells in words what tools have answered that a model is not shown as its own calls. Lines of `answerInWords` follow. */
export const TOLD = 'You have called tools before this message, and they answered:';

/** A call and its answer, as a line behind `TOLD`. */
export const answerInWords = (
  { name, input }: Pick<RequestedCall, 'name' | 'input'>,
  answer: string,
): string => `- ${name} with the input ${input} answered: ${answer}`;

/** The model that made a reply: the candidate of the one that was asked that has these names, or else that itself. */
export const makerOf = (asked: ChatModel, madeBy: MadeBy): ChatModel => findMaker(asked, madeBy) ?? asked;

/** Returns the model itself, or the candidate of it, that has these names. */
export const findMaker = (model: ChatModel, madeBy: MadeBy): ChatModel | undefined =>
  model.candidates
    ? model.candidates.map((one) => findMaker(one, madeBy)).find((found) => found !== undefined)
    : model.name === madeBy.model && (model.provider ?? '') === madeBy.provider
      ? model
      : undefined;

/** A message that may have parts. */
type WithParts = Extract<ModelMessage, { readonly role: 'user' | 'tool' }>;

/** Returns whether a message has parts, among which may be files. */
export const hasParts = (message: ModelMessage): message is WithParts =>
  (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;

/** Writes messages as JSON without the bytes of the files that they send: what they are is in their ids. */
export function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  return key === 'data' && isSentFile(this) ? undefined : value;
}

const isSentFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && 'type' in value && value.type === 'file';

/** The tokens of the files that a message sends, of which nobody can tell how many a provider makes: generous. */
export const tokensOfFiles = (message: ModelMessage): number =>
  hasParts(message)
    ? (message.parts ?? []).reduce((sum, part) => sum + (part.type === 'file' ? tokensOfFile(part) : 0), 0)
    : 0;

/**
 * Images are scaled down, and cost some thousand tokens at most. A document costs what its text does and an image a page, which
 * is less than its bytes, unless it is a very short one; and so does sound. Of what is at an address nobody knows the size.
 */
function tokensOfFile({ mediaType, size = UNKNOWN_SIZE }: MessageFile): number {
  return mediaType.startsWith('image/') ? IMAGE_TOKENS : Math.max(size, IMAGE_TOKENS);
}

const IMAGE_TOKENS = 8_192;
const UNKNOWN_SIZE = 262_144;

/** Tells a file that is sent as its address. Base64 holds no colon, and every URL does. */
export const isLinked = ({ data }: Pick<MessageFile, 'data'>): boolean => data.includes(':');

/** Tells whether a media type is one of those that are named, exactly or as `image/*`. */
export const isAmong = (mediaType: string, named: readonly string[]): boolean =>
  named.some((one) => one === mediaType || (one.endsWith('/*') && mediaType.startsWith(one.slice(0, -1))));

/** Tells whether a file may stand where this is taken. */
export const takes = ({ data, url }: MediaTaken, file: MessageFile): boolean =>
  isAmong(file.mediaType, isLinked(file) ? url : data);

/** A file as the words of an error name it. */
export const namedFile = (file: MessageFile): string =>
  `a file of the type '${file.mediaType}'${isLinked(file) ? ' by its address' : ''}`;

/** The address of a file, wherever its bytes are. */
export const addressOf = (file: MessageFile): string =>
  isLinked(file) ? file.data : `data:${file.mediaType};base64,${file.data}`;

/**
 * Returns the messages with the files that this model takes, where it takes them, and all others in words. One that asks others is
 * given all. `accepts`: what its agent says of a model whose adapter does not know.
 */
export const fittedFiles = (
  model: Pick<ChatModel, 'candidates' | 'media'>,
  messages: readonly ModelMessage[],
  accepts: readonly string[] = [],
): readonly ModelMessage[] =>
  model.candidates
    ? messages
    : withMediaFor(model.media ?? { message: { data: accepts, url: accepts }, result: NOTHING }, messages);

const NOTHING: MediaTaken = { data: [], url: [] };

/**
 * The messages with the files that a model takes, where it takes them: of a result that may hold none they follow in a message
 * behind all results of their reply. Every other file is told in words.
 */
function withMediaFor(
  { message, result }: ModelMedia,
  messages: readonly ModelMessage[],
): readonly ModelMessage[] {
  if (!messages.some(hasParts)) return messages;
  let moved: MessagePart[] = [];
  const behind = (): readonly ModelMessage[] => {
    const parts = moved;
    moved = [];
    return parts.length === 0 ? [] : [withParts({ role: 'user', text: '' }, [BEHIND, ...parts])];
  };
  const shown = messages.flatMap((one): readonly ModelMessage[] => {
    const before = one.role === 'tool' ? [] : behind();
    if (!hasParts(one)) return [...before, one];
    const isResult = one.role === 'tool';
    const parts = (one.parts ?? []).map((part): MessagePart => {
      if (part.type === 'text' || takes(isResult ? result : message, part)) return part;
      if (!isResult || !takes(message, part)) return notTaken(part);
      moved.push({ type: 'text', text: nameOf(part) }, part);
      return { type: 'text', text: FOLLOWS };
    });
    return [...before, withParts(one, parts)];
  });
  return [...shown, ...behind()];
}

/** The message with these parts; with their words alone where none is a file. */
function withParts({ parts: _, ...message }: WithParts, parts: readonly MessagePart[]): ModelMessage {
  const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n\n');
  return { ...message, text, ...(parts.some(({ type }) => type === 'file') && { parts }) };
}

/** Behind the line that names the file. */
const notTaken = ({ mediaType }: MessageFile): MessagePart => ({
  type: 'text',
  text: `(The file is not shown: this model takes no ${mediaType} here.)`,
});

const FOLLOWS = '(The file follows behind the results.)';
const BEHIND: MessagePart = { type: 'text', text: 'Files of the results above:' };

const nameOf = ({ id, data, name, mediaType }: MessageFile): string =>
  [`File ${id ?? data}`, ...(name === undefined ? [] : [JSON.stringify(name)]), mediaType].join(', ');
