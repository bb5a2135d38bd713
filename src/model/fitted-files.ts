/** Which files of a conversation a model is given, and where. */
import type { ChatModel, MediaTaken, ModelMedia, ModelMessage } from './chat-model.ts';
import { takes } from './model-media.ts';
import type { MessageFile, MessagePart } from './parts.ts';

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

type WithParts = Extract<ModelMessage, { readonly role: 'user' | 'tool' }>;

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
