import type { Message } from './state.ts';

/** What the model is shown in the place of the messages that a summary replaces. */
export const summaryMessage = (summary: string): Message => ({
  role: 'user',
  text: `Summary of the conversation so far, whose messages are not shown any more:\n\n${summary}`,
  by: 'summary',
});
