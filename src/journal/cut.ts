import { isStart } from './conversation.ts';
import { type EventOf, ROOT } from './events.ts';
import { foldUsage } from './spending.ts';
import { type Fold, findFrame, type Message } from './state.ts';

/** The part of a conversation that the model still sees. */
export type Cut = Pick<EventOf<'conversation-cut'>, 'turns' | 'results' | 'summary'>;

/** Returns the conversation that is shown after a cut. */
export function cutMessages(messages: readonly Message[], { turns, results, summary }: Cut): Message[] {
  const left =
    turns === undefined
      ? [...messages]
      : [createCutStandIn(messages, summary), ...withoutToolsChange(getLastTurns(messages, turns))];
  if (results === undefined) return left;
  return left.map((message) => {
    if (message.role === 'user') return message.by === 'late' ? limitShown(message, results) : message;
    const calls = message.calls.map((call) =>
      call.ended ? { ...call, ended: limitShown(call.ended, results) } : call,
    );
    return { ...message, calls };
  });
}

/** Cuts the conversation of a loop, in place. Repeating the same cut changes nothing. */
export function foldCutMessages(messages: Message[], cut: Cut): void {
  const left = cutMessages(messages, cut);
  messages.length = 0;
  for (const message of left) messages.push(message);
}

/** Folds a cut and the usage of its summary. The messages are cut by the fold of the conversation. */
export function foldCut(fold: Fold, event: EventOf<'conversation-cut'>): void {
  const { state } = fold;
  foldUsage(fold, event.usage);
  const frame = findFrame(fold, event);
  if (!frame) return;
  if (frame.id === ROOT && event.turns !== undefined) {
    state.starts = state.starts.slice(-event.turns);
    state.cut = { text: state.messages[0]?.text ?? '', from: state.starts[0] ?? 1 };
  }
  if (!event.summary) frame.shortened = true;
}

/** Returns the message that replaces the messages before a summary. */
export const createSummaryMessage = (summary: string): Message =>
  createStandIn(`Summary of the conversation so far, whose messages are not shown any more:\n\n${summary}`);

/** Makes the first message of a conversation without its older messages. */
export const createStandIn = (text: string): Message => ({ role: 'user', text, by: 'summary' });

/**
 * The first message contains this if turns were cut without a summary of them. It comes after any earlier
 * summary.
 */
const LEFT_OUT_NOTICE =
  'Earlier messages are not shown any more, since the conversation had become too long.';

function createCutStandIn([first]: readonly Message[], summary: string | undefined): Message {
  if (summary) return createSummaryMessage(summary);
  const before = summary === undefined && first?.role === 'user' && first.by === 'summary' ? first.text : '';
  if (before === '') return createStandIn(LEFT_OUT_NOTICE);
  return createStandIn(before.endsWith(LEFT_OUT_NOTICE) ? before : `${before}\n\n${LEFT_OUT_NOTICE}`);
}

function getLastTurns(messages: readonly Message[], turns: number): readonly Message[] {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  return messages.slice(starts.slice(-turns)[0]);
}

/**
 * Removes the change of tools from the first message, since the conversation now starts with the tools
 * offered there.
 */
function withoutToolsChange([first, ...others]: readonly Message[]): readonly Message[] {
  if (first?.role !== 'user') return first ? [first, ...others] : [];
  const { toolsChange: _, ...bare } = first;
  return [bare, ...others];
}

const limitShown = <T extends { readonly shown?: number }>(result: T, characters: number): T => ({
  ...result,
  shown: Math.min(characters, result.shown ?? characters),
});
