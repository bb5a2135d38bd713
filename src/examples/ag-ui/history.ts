/** Converts a session's conversation to AG-UI messages, for a client without a history. */
import type { Message as AgUiMessage, ContentPart as AgUiPart } from '@ag-ui/client';
import type { MessageView } from '../../create-holdfast.ts';
import { type FileUrls, toAgUiParts } from './parts.ts';

type AssistantView = Extract<MessageView, { readonly role: 'assistant' }>;

/** The results of calls for a client, by the ids of the calls. */
export type ShownResults = ReadonlyMap<string, string | AgUiPart[]>;

interface ShownHistory {
  readonly urls: FileUrls;
  readonly results: ShownResults;
}

/** Returns the messages in order. A message without an id gets its position as its id. */
export const toHistory = (
  messages: readonly MessageView[],
  urls: FileUrls,
  results: ShownResults,
): AgUiMessage[] =>
  messages.flatMap((message, place): AgUiMessage[] => {
    const id = `history/${place}`;
    if (message.role === 'assistant') return toAssistantMessages(message, id, { urls, results });
    // A note from the loop to the model, which the user did not write.
    if (message.by === 'loop') return [];
    return [{ id, role: 'user', content: message.parts ? toAgUiParts(message.parts, urls) : message.text }];
  });

function toAssistantMessages(
  message: AssistantView,
  id: string,
  { urls, results }: ShownHistory,
): AgUiMessage[] {
  const calls = 'toolCalls' in message ? (message.toolCalls ?? []) : [];
  const parts = 'parts' in message ? (message.parts ?? []) : [];
  const thought = parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  const toolCalls = calls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }));
  return [
    ...(thought === '' ? [] : [{ id: `${id}/reasoning`, role: 'reasoning' as const, content: thought }]),
    {
      id,
      role: 'assistant',
      ...(message.text !== '' && { content: message.text }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
    ...calls.flatMap(({ id: toolCallId, result, files }): AgUiMessage[] => {
      if (result === undefined) return [];
      const read = files ? toAgUiParts([{ type: 'text', text: result }, ...files], urls) : result;
      const content = results.get(toolCallId) ?? read;
      return [{ id: `${toolCallId}/result`, role: 'tool', toolCallId, content }];
    }),
  ];
}
