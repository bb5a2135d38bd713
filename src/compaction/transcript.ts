import type { HistoryMessage } from '../tools/tool.ts';
import { modelText } from '../tools/tool-result.ts';

/** Characters of one result that whoever summarises is shown: the rest of it is seldom what is remembered. */
const MAX_RESULT = 4_000;

/**
 * A conversation as text, for a model to read: one message a line, as JSON, so that no message can pass for another one. At
 * most about `most` characters: the first message, which may stand for all before it, and the newest that fit.
 */
export function transcript(messages: readonly HistoryMessage[], most: number): string {
  const lines = messages.map((message) => JSON.stringify(toLine(message)));
  const first = lines[0] ?? '';
  let start = lines.length;
  for (let left = most - first.length; start > 1; start -= 1) {
    left -= lines[start - 1]?.length ?? 0;
    if (left < 0) break;
  }
  const gap = start > 1 ? [JSON.stringify({ leftOut: `${start - 1} messages` })] : [];
  return [cut(first, most), ...gap, ...lines.slice(Math.max(start, 1))].join('\n');
}

const toLine = (message: HistoryMessage): unknown => {
  if (message.role === 'user') return { [message.by === undefined ? 'user' : message.by]: message.text };
  const calls = message.calls.map(({ name, input, result }) => ({
    tool: name,
    input: cut(input, MAX_RESULT),
    ...(result && { result: cut(modelText(result), MAX_RESULT) }),
  }));
  return { assistant: message.text, ...(calls.length > 0 && { calls }) };
};

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [${text.length - most} more characters]` : text;
