import type { HistoryMessage } from '../tools/tool.ts';
import { shownText } from '../tools/tool-result.ts';

/** Bytes of conversation that count as a token: the same everywhere, whatever a provider reports. */
const BYTES_PER_TOKEN = 4;

const encoder = new TextEncoder();

/**
 * The length of a conversation, of which a model is shown so many characters of one result. A language with longer characters
 * has more tokens a character, which its bytes tell.
 */
export const countTokens = (messages: readonly HistoryMessage[], characters: number): number =>
  Math.ceil(messages.reduce((bytes, message) => bytes + bytesIn(message, characters), 0) / BYTES_PER_TOKEN);

function bytesIn(message: HistoryMessage, most: number): number {
  const calls = message.role === 'user' ? [] : message.calls;
  const texts = calls.flatMap(({ name, input, result, shown = most }) => [
    name,
    input,
    result ? shownText(result, Math.min(most, shown)) : '',
  ]);
  return [message.text, ...texts].reduce((bytes, text) => bytes + encoder.encode(text).length, 0);
}
