import type { ModelMessage } from '../../model/chat-model.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import { parseToolInput } from '../../tool/check-input.ts';
import { isJsonObject } from '../../tool/json.ts';
import { modelText } from '../../tool/tool-result.ts';

/** A message as the AI SDK has it. */
export interface AiMessage {
  readonly role: string;
  readonly content: unknown;
}

/** The conversation before a call, in words, as the AI SDK gives it to tools: without the reply that holds the call. */
export function toAiMessages(history: readonly HistoryMessage[]): AiMessage[] {
  const own = history.findLastIndex(({ role }) => role === 'assistant');
  return history.slice(0, own < 0 ? undefined : own).flatMap((message): AiMessage[] => {
    if (message.role === 'user') return [{ role: 'user', content: message.text }];
    const said = message.text === '' ? [] : [{ type: 'text', text: message.text }];
    const calls = message.calls.map(({ id, name, input }) => {
      const parsed = parseToolInput(name, input);
      return { type: 'tool-call', toolCallId: id, toolName: name, input: parsed.ok ? parsed.input : input };
    });
    const results = message.calls.flatMap(({ id, name, result }) => {
      if (!result) return [];
      const output = { type: result.type === 'error' ? 'error-text' : 'text', value: modelText(result) };
      return [{ type: 'tool-result', toolCallId: id, toolName: name, output }];
    });
    const reply = { role: 'assistant', content: [...said, ...calls] };
    return results.length > 0 ? [reply, { role: 'tool', content: results }] : [reply];
  });
}

/** A conversation of the AI SDK, in words, for the limits that count its calls and the tools that read it. */
export function fromAiMessages(messages: readonly AiMessage[]): ModelMessage[] {
  return messages.flatMap(({ role, content }): ModelMessage[] => {
    const parts: readonly Fields[] = Array.isArray(content)
      ? content.map(Object)
      : [{ type: 'text', text: content }];
    const text = parts.flatMap((part) => (part.type === 'text' ? String(part.text) : [])).join('\n\n');
    switch (role) {
      case 'user':
        return [{ role, text }];
      case 'assistant': {
        const calls = parts.filter(({ type }) => type === 'tool-call');
        return [{ role, text, toolCalls: calls.map((call) => ({ ...idOf(call), input: inputOf(call) })) }];
      }
      case 'tool':
        return parts.flatMap((part) =>
          part.type === 'tool-result'
            ? [{ role: 'tool' as const, ...idOf(part), text: wordsOf(Object(part.output)) }]
            : [],
        );
      default:
        return [];
    }
  });
}

type Fields = Readonly<Record<string, unknown>>;

const idOf = ({ toolCallId, toolName }: Fields): { readonly id: string; readonly name: string } => ({
  id: String(toolCallId),
  name: String(toolName),
});

const inputOf = ({ input }: Fields): string => (isJsonObject(input) ? JSON.stringify(input) : String(input));

function wordsOf({ type, value }: Fields): string {
  if (typeof value === 'string') return value;
  if (type !== 'content' || !Array.isArray(value)) return JSON.stringify(value ?? null);
  return value.flatMap((part) => (typeof part?.text === 'string' ? part.text : [])).join('\n\n');
}
