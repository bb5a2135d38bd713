import type { Message } from '../journal/state.ts';
import type { HistoryMessage } from '../tools/tool.ts';

/** The conversation as tools and transformers read it. Its results are the journal's own: not to be changed. */
export const toHistory = (messages: readonly Message[]): HistoryMessage[] =>
  messages.map((message) => {
    if (message.role === 'user') return message;
    const calls = message.calls.map(({ id, name, input, ended }) => ({
      id,
      name,
      input,
      ...(ended && { result: ended.result }),
      ...(ended?.shown !== undefined && { shown: ended.shown }),
    }));
    return { role: 'assistant', text: message.text, calls };
  });
