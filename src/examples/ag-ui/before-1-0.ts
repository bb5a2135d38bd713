/**
 * Converts events for clients from before AG-UI 1.0. They send no version, like those of CopilotKit, and
 * their schemas are closed.
 */
import type { ContentPart } from '@ag-ui/client';
import type { AgUiEvent } from './events.ts';

/** Returns the event in the old format. */
export function asBefore1(event: AgUiEvent): AgUiEvent {
  if (event.type === 'TOOL_CALL_RESULT') return { ...event, content: inWords(event.content) };
  if (event.type === 'MESSAGES_SNAPSHOT') {
    const messages = event.messages.map((message) =>
      message.role === 'tool' ? { ...message, content: inWords(message.content) } : message,
    );
    return { ...event, messages };
  }
  if (event.type !== 'RUN_FINISHED') return event;
  const { outcome, ...finished } = event;
  // The old format cannot express a cancelled run, or the results that it waits for: without an outcome it
  // has completed.
  return outcome?.type === 'interrupt' ? event : finished;
}

/** Formats the result of a tool as text, with its files as links. */
function inWords(said: string | readonly ContentPart[]): string {
  if (typeof said === 'string') return said;
  const words = said.map((part) =>
    part.type === 'text' ? part.text : 'value' in part.source ? part.source.value : '',
  );
  return words.join('\n');
}
