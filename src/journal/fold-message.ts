import { RESULT_CHARACTERS, shownText } from '../tools/tool-result.ts';
import { placed } from './count-calls.ts';
import { ROOT, type SessionEvent } from './events.ts';
import { rejectionText } from './rejection-text.ts';
import { foldShortened } from './shortened.ts';
import {
  type CallRecord,
  type FrameState,
  lastReply,
  type Message,
  type SessionState,
  type TurnState,
} from './state.ts';
import { summaryMessage } from './summary-message.ts';

type Replied = Extract<SessionEvent, { type: 'model-replied' }>;
type Ended = Extract<SessionEvent, { type: 'tool-call-ended' }>;
type Rejected = Extract<SessionEvent, { type: 'answer-rejected' }>;
type Late = Extract<SessionEvent, { type: 'late-result-received' }>;

/** Folds what the conversation keeps of an event. Enough by itself for what a snapshot covers. */
export function foldMessage(messages: Message[], event: SessionEvent, turn?: TurnState): void {
  if ('frame' in event) return;
  switch (event.type) {
    case 'turn-started':
      messages.push({ role: 'user', text: event.message });
      break;
    case 'model-replied':
      messages.splice(messages.length - (event.unseen ?? 0), 0, assistantMessage(event, turn));
      break;
    case 'tool-call-ended':
      endCall(messages, event);
      break;
    case 'answer-rejected':
      messages.push(rejection(event));
      break;
    case 'turn-steered':
      messages.push({ role: 'user', text: event.message, by: 'steer' });
      break;
    case 'late-result-received':
      messages.push({ role: 'user', text: lateText(event), by: 'late' });
      break;
    case 'conversation-compacted':
      messages.splice(0, event.messages, summaryMessage(event.summary));
      break;
    case 'conversation-shortened':
      foldShortened(messages, event);
      break;
  }
}

/** Folds an event that the state's snapshot covers. What has left by then is not read, and its first message says so. */
export function foldCovered({ messages, closedUnread }: SessionState, event: SessionEvent): void {
  if (event.type === 'conversation-shortened') {
    const { turns: _, withoutSummary: __, ...still } = event;
    foldMessage(messages, still);
    return;
  }
  foldMessage(messages, event);
  if (event.type !== 'model-replied' || event.frame !== undefined) return;
  for (const { id } of event.toolCalls) {
    const result = closedUnread.get(id);
    if (result) endCall(messages, { call: id, result });
  }
}

/** Two calls of one tool may both be in doubt, so it says which one it was. */
const lateText = ({ tool, input, result }: Late): string =>
  `The call of '${tool}' with the input ${input}, whose outcome was unknown, has answered after all: ` +
  shownText(result, RESULT_CHARACTERS);

/** What the loop tells its model of an answer that does not fit. */
export const rejection = ({ problems }: Rejected): Message => ({
  role: 'user',
  text: rejectionText(problems),
  by: 'loop',
});

/** A reply as the conversation has it. */
export const assistantMessage = (event: Replied, turn?: TurnState): Message => ({
  role: 'assistant',
  text: event.text,
  calls: placed(event.toolCalls, turn, event.frame ?? ROOT),
  last: event.last ?? false,
});

/** Notes the end of a call of the last reply; `opened`: the loop that it opened. */
export function endCall(
  messages: readonly Message[],
  event: Pick<Ended, 'call' | 'result' | 'direct' | 'changes'>,
  opened?: FrameState,
): void {
  const call = lastBatch(messages).find(({ id }) => id === event.call);
  if (!call || call.ended) return;
  delete call.places;
  delete call.started;
  delete call.atEnd;
  delete call.waits;
  call.ended = {
    result: event.result,
    direct: event.direct ?? false,
    changes: event.changes,
    ...(opened && !opened.planned && { nested: true }),
  };
}

/** The calls of the last reply. */
export const lastBatch = (messages: readonly Message[]): readonly CallRecord[] =>
  lastReply(messages)?.calls ?? [];
