import type { ChatModel, MediaTaken, ModelMedia, ModelMessage } from './chat-model.ts';
import type { MessageFile, MessagePart } from './parts.ts';

/** One list of media types. */
type MediaList = `${keyof ModelMedia}.${keyof MediaTaken}`;

const LISTS: readonly MediaList[] = ['message.data', 'message.url', 'result.data', 'result.url'];

/**
 * The media that an adapter was told of its model. `never`: the lists that must be empty, since the adapter cannot send
 * anything there.
 *
 * @throws TypeError for what is no media type, and for one in a list of `never`.
 */
export function checkMedia(
  media: ModelMedia | undefined,
  never: readonly MediaList[] = [],
): Pick<ChatModel, 'media'> {
  if (media === undefined) return {};
  for (const list of LISTS) {
    const path = `'media.${list}'`;
    const types = list
      .split('.')
      // Callers without types may give anything.
      .reduce<unknown>((inner, key) => (inner ? Reflect.get(Object(inner), key) : undefined), media);
    if (!Array.isArray(types)) {
      throw new TypeError(`${path} is no list of media types, such as ['image/png', 'image/*'].`);
    }
    const wrong = types.find((type) => typeof type !== 'string' || !MEDIA_TYPE.test(type));
    if (wrong !== undefined) {
      const named = String(wrong).slice(0, 80);
      throw new TypeError(`${path} names '${named}'; use media types, such as 'image/png' or 'image/*'.`);
    }
    if (never.includes(list) && types.length > 0) {
      throw new TypeError(
        `${path} names '${types[0]}', and the adapter sends no file there; leave it empty.`,
      );
    }
  }
  return { media };
}

/** In lower case, without parameters; a star stands for all of a kind. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/;

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

const NOTHING: MediaTaken = { data: [], url: [] };

/** Answers which files a model takes. `accepts`: what its agent says, which counts where the model's adapter does not know. */
export const mediaOf = ({ media }: Pick<ChatModel, 'media'>, accepts: readonly string[] = []): ModelMedia =>
  media ?? { message: { data: accepts, url: accepts }, result: NOTHING };

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
