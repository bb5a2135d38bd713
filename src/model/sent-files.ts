import type { ModelMessage } from './chat-model.ts';
import type { MessageFile } from './parts.ts';

/** Whether a message has parts, among which may be files. */
export const hasParts = (
  message: ModelMessage,
): message is Extract<ModelMessage, { readonly role: 'user' | 'tool' }> =>
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
