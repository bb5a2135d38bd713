import type { Message } from './state.ts';

/** The first message, when it stands for older ones. */
export const standIn = (text: string): Message => ({ role: 'user', text, by: 'summary' });

/** What the model is shown in the place of the messages that a summary replaces. */
export const summaryMessage = (summary: string): Message =>
  standIn(`Summary of the conversation so far, whose messages are not shown any more:\n\n${summary}`);
