import type { ChatModel, MediaTaken, ModelMedia, ModelMessage } from './chat-model.ts';
import type { MessageFile, MessagePart } from './parts.ts';

const NOTHING: MediaTaken = { data: [], url: [] };

/** Answers which files a model takes. `accepts`: what its agent says, which counts where the model's adapter does not know. */
export const mediaOf = ({ media }: Pick<ChatModel, 'media'>, accepts: readonly string[] = []): ModelMedia =>
  media ?? { message: { data: accepts, url: accepts }, result: NOTHING };

/** Tells whether a media type is one of those that are named, exactly or as `image/*`. */
export const isAmong = (mediaType: string, named: readonly string[]): boolean =>
  named.some((one) => one === mediaType || (one.endsWith('/*') && mediaType.startsWith(one.slice(0, -1))));

/** Base64 holds no colon, and every URL does. */
export const isUrl = ({ data }: Pick<MessageFile, 'data'>): boolean => data.includes(':');

const takes = (file: MessageFile, { data, url }: MediaTaken): boolean =>
  isAmong(file.mediaType, isUrl(file) ? url : data);

type WithParts = Extract<ModelMessage, { readonly role: 'user' | 'tool' }>;

/**
 * The messages with the files that a model takes, where it takes them: of a result that may hold none they follow in a message
 * behind all results of their reply. Every other file is told in words.
 */
export function withMediaFor(
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
      if (part.type === 'text' || takes(part, isResult ? result : message)) return part;
      if (!isResult || !takes(part, message)) return notTaken(part);
      moved.push({ type: 'text', text: nameOf(part) }, part);
      return { type: 'text', text: FOLLOWS };
    });
    return [...before, withParts(one, parts)];
  });
  return [...shown, ...behind()];
}

const hasParts = (message: ModelMessage): message is WithParts =>
  (message.role === 'user' || message.role === 'tool') && message.parts !== undefined;

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
