/**
 * Converts events for clients older than AG-UI 1.0, such as CopilotKit. They send no version, and their
 * schemas reject unknown properties.
 */
import type { ContentPart } from '@ag-ui/client';
import type { AgUiEvent } from './events.ts';

/** Returns the event in the old format. */
export function asBefore1(event: AgUiEvent): AgUiEvent {
  if (event.type === 'TOOL_CALL_RESULT') return { ...event, content: toText(event.content) };
  if (event.type === 'MESSAGES_SNAPSHOT') {
    const messages = event.messages.map((message) =>
      message.role === 'tool' ? { ...message, content: toText(message.content) } : message,
    );
    return { ...event, messages };
  }
  if (event.type !== 'RUN_FINISHED') return event;
  const { outcome, ...finished } = event;
  // The old format has only one outcome, `interrupt`. A run without an outcome has completed.
  return outcome?.type === 'interrupt' ? event : finished;
}

/** Formats the result of a tool as text, with its files as links. */
function toText(said: string | readonly ContentPart[]): string {
  if (typeof said === 'string') return said;
  const words = said.map((part) =>
    part.type === 'text' ? part.text : 'value' in part.source ? part.source.value : '',
  );
  return words.join('\n');
}
