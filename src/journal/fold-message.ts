import { RESULT_CHARACTERS, shownText } from '../tool/tool-result.ts';
import { type EventOf, ROOT, type SessionEvent } from './events.ts';
import { foldShortened, summaryMessage } from './shortened.ts';
import { placed } from './spending.ts';
import {
  type CallRecord,
  type FrameState,
  type KeptReply,
  lastReply,
  type Message,
  type SessionState,
  type TurnState,
} from './state.ts';

/** Folds an event into the conversation that it is of: the session's, or that of an open nested loop. */
export function foldConversation({ messages, turn }: SessionState, event: SessionEvent): void {
  const frame = 'frame' in event ? event.frame : undefined;
  const conversation = frame === undefined ? messages : turn?.frames.get(frame)?.messages;
  if (conversation) foldMessage(conversation, event, turn);
}

/**
 * Folds what a conversation keeps of an event of its loop. One rule for the turn's own loop and for nested ones. Without the
 * turn it is still right for the session's messages, as long as all of their calls have ended.
 */
export function foldMessage(messages: Message[], event: SessionEvent, turn?: TurnState): void {
  switch (event.type) {
    case 'turn-started':
    case 'frame-started':
      messages.push({ role: 'user', text: event.message });
      break;
    case 'model-replied':
      messages.splice(messages.length - (event.unseen ?? 0), 0, {
        role: 'assistant',
        text: event.text,
        calls: placed(event.toolCalls, turn, event.frame ?? ROOT),
        ...keptOf(event),
        last: event.last ?? false,
      });
      break;
    case 'tool-call-ended':
      // Of the session's own messages a snapshot could not tell which calls have opened a loop.
      endCall(messages, event, event.frame === undefined ? undefined : turn?.frames.get(event.call));
      break;
    case 'answer-rejected':
      messages.push({ role: 'user', text: rejectionText(event), by: 'loop' });
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

const keptOf = ({
  parts,
  provider,
  model,
  servedBy = '',
}: EventOf<'model-replied'>): { readonly kept?: KeptReply } =>
  parts ? { kept: { parts, ...(provider && { provider }), madeBy: { provider: servedBy, model } } } : {};

/** Folds an event that the state's snapshot covers. What has left by then is not read, and its first message says so. */
export function foldCovered({ messages, closedUnread }: SessionState, event: SessionEvent): void {
  // The loops that nested in those turns are gone.
  if ('frame' in event) return;
  if (event.type === 'conversation-shortened') {
    const { turns: _, withoutSummary: __, ...still } = event;
    foldMessage(messages, still);
    return;
  }
  foldMessage(messages, event);
  if (event.type !== 'model-replied') return;
  for (const { id } of event.toolCalls) {
    const result = closedUnread.get(id);
    if (result) endCall(messages, { call: id, result });
  }
}

/** Two calls of one tool may both be in doubt, so it says which one it was. */
const lateText = ({ tool, input, result }: EventOf<'late-result-received'>): string =>
  `The call of '${tool}' with the input ${input}, whose outcome was unknown, has answered after all: ` +
  shownText(result, RESULT_CHARACTERS);

/** What the model is told of an answer that does not have the form it was asked for: everything that is wrong with it. */
const rejectionText = ({ problems }: EventOf<'answer-rejected'>): string =>
  `Your answer does not have the form that was asked for:\n- ${problems.join('\n- ')}\n` +
  'Answer again with the corrected JSON text, and nothing else.';

/** Notes the end of a call of the last reply; `opened`: the loop that it opened. */
function endCall(
  messages: readonly Message[],
  event: Pick<EventOf<'tool-call-ended'>, 'call' | 'result' | 'direct' | 'changes'>,
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
