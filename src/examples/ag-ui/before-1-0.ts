/** What clients from before AG-UI 1.0 take. They say no version, as those of CopilotKit do, and their schemas are closed. */
import type { ContentPart } from '@ag-ui/client';
import type { AgUiEvent } from './events.ts';

/** The event as they know it. */
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
  // Neither that a run was cancelled nor which results it waits for has a word there: without an outcome it has come to its end.
  return outcome?.type === 'interrupt' ? event : finished;
}

/** The result of a tool, with its files as links. */
function inWords(said: string | readonly ContentPart[]): string {
  if (typeof said === 'string') return said;
  const words = said.map((part) =>
    part.type === 'text' ? part.text : 'value' in part.source ? part.source.value : '',
  );
  return words.join('\n');
}
