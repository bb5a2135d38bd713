import type { CallRecord, Message } from '../journal/state.ts';
import type { ModelMessage } from '../model/chat-model.ts';

/** A conversation as a model is sent it, grouped as the journal has it. System messages are no part of it. */
export function toMessages(messages: readonly ModelMessage[]): Message[] {
  const grouped: Message[] = [];
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        break;
      case 'user':
        grouped.push({ role: 'user', text: message.text });
        break;
      case 'assistant': {
        const calls = message.toolCalls.map((call): CallRecord => ({ ...call, providerId: call.id }));
        grouped.push({ role: 'assistant', text: message.text, calls, last: false });
        break;
      }
      case 'tool':
        answer(grouped.at(-1), message);
        break;
    }
  }
  return grouped;
}

/** Of calls with one id, which some providers give, the first that has no result. */
function answer(reply: Message | undefined, { id, text }: Extract<ModelMessage, { role: 'tool' }>): void {
  if (reply?.role !== 'assistant') return;
  const call = reply.calls.find((one) => one.id === id && !one.ended);
  if (call) call.ended = { result: { type: 'text', content: text }, direct: false, changes: undefined };
}
