import type { Message } from '../journal/state.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { shownText } from '../tools/tool-result.ts';

/** The conversation as tools and transformers read it. Its results are the journal's own: not to be changed. */
export const toHistory = (messages: readonly Message[]): HistoryMessage[] =>
  messages.map((message) => {
    if (message.role === 'user') {
      const { shown, ...said } = message;
      return shown === undefined
        ? message
        : { ...said, text: shownText({ type: 'text', content: said.text }, shown) };
    }
    const calls = message.calls.map(({ id, name, input, ended }) => ({
      id,
      name,
      input,
      ...(ended && { result: ended.result }),
      ...(ended?.shown !== undefined && { shown: ended.shown }),
    }));
    return { role: 'assistant', text: message.text, calls };
  });
