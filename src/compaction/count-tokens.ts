import type { HistoryMessage } from '../tools/tool.ts';
import { modelText } from '../tools/tool-result.ts';

/** Bytes of conversation that count as a token: the same everywhere, whatever a provider reports. */
const BYTES_PER_TOKEN = 4;

const encoder = new TextEncoder();

/** The length of a conversation. A language with longer characters has more tokens a character, which its bytes tell. */
export const countTokens = (messages: readonly HistoryMessage[]): number =>
  Math.ceil(messages.reduce((bytes, message) => bytes + bytesIn(message), 0) / BYTES_PER_TOKEN);

function bytesIn(message: HistoryMessage): number {
  const calls = message.role === 'user' ? [] : message.calls;
  const texts = calls.flatMap(({ name, input, result }) => [name, input, result ? modelText(result) : '']);
  return [message.text, ...texts].reduce((bytes, text) => bytes + encoder.encode(text).length, 0);
}
