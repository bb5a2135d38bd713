import type { Message } from '../journal/state.ts';
import type { HistoryMessage } from '../tools/tool.ts';

/** The conversation as tools may read it; a copy, so that nothing they do changes what the journal says. */
export const historyOf = (messages: readonly Message[]): HistoryMessage[] =>
  messages.map((message) => {
    if (message.role === 'user') return { role: 'user', text: message.text };
    const calls = message.calls.map(({ id, name, input, ended }) => ({
      id,
      name,
      input,
      ...(ended && { result: structuredClone(ended.result) }),
    }));
    return { role: 'assistant', text: message.text, calls };
  });
