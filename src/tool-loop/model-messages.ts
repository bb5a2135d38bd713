import type { CallRecord } from '../journal/state.ts';
import type { ModelMessage } from '../model/chat-model.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { shownText } from '../tools/tool-result.ts';

/** Asked of a model whose reply was blank (EMP-03). */
export const NUDGE =
  'Your previous turn produced no response. Take ONE concrete action that progresses toward answering the ' +
  "user's most recent question — either call a tool to gather what you still need, or write the answer using " +
  'the information you already have. Do not stay silent.';

/** Asked with the last model call, which offers no tools (AEL-05). */
export const answerNow = (iterations: number): string =>
  `STOP: Maximum tool iterations (${iterations}) reached. You must provide your best final answer now based on ` +
  'information gathered so far.';

/**
 * The conversation as a model is sent it: one system message first (LOOP-17), and results after their reply in source
 * order, each with so many characters at the most. `records` has every call, by our ids.
 */
export function toModelMessages(
  instructions: string,
  shown: readonly HistoryMessage[],
  sending: Sending,
): ModelMessage[] {
  const sent: ModelMessage[] = instructions === '' ? [] : [{ role: 'system', text: instructions }];
  shown.forEach((message, index) => {
    if (message.role === 'user') sent.push({ role: 'user', text: message.text });
    else if (isBlank(message)) sent.push(...blank(shown[index + 1]));
    else sent.push(...toReply(message, sending));
  });
  return sent;
}

interface Sending {
  readonly records: ReadonlyMap<string, CallRecord>;
  readonly characters: number;
}

type Reply = Extract<HistoryMessage, { role: 'assistant' }>;

const isBlank = ({ text, calls }: Reply): boolean => calls.length === 0 && text.trim() === '';

/** An empty assistant message is refused by some providers (EMP-04); a message that followed it needs no nudge. */
const blank = (next: HistoryMessage | undefined): ModelMessage[] => [
  { role: 'assistant', text: '(no response)', toolCalls: [] },
  ...(next?.role === 'user' ? [] : [{ role: 'user', text: NUDGE } as const]),
];

function toReply({ text, calls }: Reply, { records, characters }: Sending): ModelMessage[] {
  // Providers repeat their ids, so that ours are those by which a call is known.
  const wireId = (id: string): string => records.get(id)?.providerId ?? id;
  const toolCalls = calls.map(({ id, name, input }) => ({ id: wireId(id), name, input }));
  const results = calls.map(({ id, name, result }): ModelMessage => {
    const answer = result ?? { type: 'error', message: 'There is no result for this call.' };
    const most = Math.min(characters, records.get(id)?.ended?.shown ?? characters);
    return { role: 'tool', id: wireId(id), name, text: shownText(answer, most) };
  });
  return [{ role: 'assistant', text, toolCalls }, ...results];
}
