import type { Message } from '../journal/state.ts';
import type { ModelMessage } from '../model/chat-model.ts';
import { modelText } from '../tools/tool-result.ts';

/** Asked of a model whose reply was blank (EMP-03). */
export const NUDGE =
  'Your previous turn produced no response. Take ONE concrete action that progresses toward answering the ' +
  "user's most recent question — either call a tool to gather what you still need, or write the answer using " +
  'the information you already have. Do not stay silent.';

/** Asked with the last model call, which offers no tools (AEL-05). */
export const answerNow = (iterations: number): string =>
  `STOP: Maximum tool iterations (${iterations}) reached. You must provide your best final answer now based on ` +
  'information gathered so far.';

/** The conversation as a model is sent it. Results follow their reply in source order. */
export function toModelMessages(instructions: string, messages: readonly Message[]): ModelMessage[] {
  const sent: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }];
  for (const message of messages) {
    if (message.role === 'user') sent.push({ role: 'user', text: message.text });
    else sent.push(...toReply(message));
  }
  return sent;
}

function toReply(message: Extract<Message, { role: 'assistant' }>): ModelMessage[] {
  const { text, calls } = message;
  // An empty assistant message is refused by some providers (EMP-04).
  if (calls.length === 0 && text.trim() === '') {
    return [
      { role: 'assistant', text: '(no response)', toolCalls: [] },
      { role: 'user', text: NUDGE },
    ];
  }
  const toolCalls = calls.map(({ providerId, name, input }) => ({ id: providerId, name, input }));
  const results = calls.map(({ providerId, name, ended }): ModelMessage => {
    const result = ended?.result ?? { type: 'error', message: 'There is no result for this call.' };
    return { role: 'tool', id: providerId, name, text: modelText(result) };
  });
  return [{ role: 'assistant', text, toolCalls }, ...results];
}
