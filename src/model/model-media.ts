import type { ChatModel, MediaTaken, ModelMedia } from './chat-model.ts';
import type { MessageFile } from './parts.ts';

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
