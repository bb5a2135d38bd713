import type { MediaTaken } from './chat-model.ts';
import type { MessageFile } from './parts.ts';

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
