import { isStart } from './conversation.ts';
import { type EventOf, ROOT } from './events.ts';
import { foldUsed } from './spending.ts';
import { type Fold, frameOf, type Message, type SessionState } from './state.ts';

/** The conversation as it is shown then: its last turns, and the beginning of each of its results. */
export function shortened(messages: readonly Message[], shortening: Shortening): Message[] {
  const { turns, withoutSummary, characters } = shortening;
  const before = withoutSummary ? '' : standInOf(messages);
  const left =
    turns === undefined ? [...messages] : [leftBelow(before), ...withoutChange(lastTurns(messages, turns))];
  if (characters === undefined) return left;
  return left.map((message) => {
    if (message.role === 'user') return message.by === 'late' ? upTo(message, characters) : message;
    const calls = message.calls.map((call) =>
      call.ended ? { ...call, ended: upTo(call.ended, characters) } : call,
    );
    return { ...message, calls };
  });
}

/** Shortens the conversation of a loop. Does nothing more when it has been shortened so. */
export function foldShortened(messages: Message[], event: Shortening): void {
  const left = shortened(messages, event);
  messages.length = 0;
  for (const message of left) messages.push(message);
}

/** What of a conversation is still shown. */
export type Shortening = Pick<EventOf<'conversation-shortened'>, 'turns' | 'withoutSummary' | 'characters'>;

/** Remembers what stands for older messages, and what the summary used. The messages themselves are folded with all others. */
export function foldCompaction(fold: Fold, event: EventOf<'conversation-compacted'>): void {
  const { state } = fold;
  state.starts = state.starts.filter((seq) => seq >= event.from);
  foldStandIn(state, event.from);
  foldUsed(fold, event.usage);
}

/** Remembers that a model is shown less, after it had refused a request. */
export function foldLessShown(fold: Fold, event: EventOf<'conversation-shortened'>): void {
  const { state } = fold;
  const frame = frameOf(fold, event);
  if (!frame) return;
  if (frame.id === ROOT && event.turns !== undefined) {
    state.starts = state.starts.slice(-event.turns);
    foldStandIn(state, state.starts[0] ?? 1);
  }
  frame.shortened = true;
}

/** Answers what the model is shown in the place of the messages that a summary replaces. */
export const summaryMessage = (summary: string): Message =>
  standIn(`Summary of the conversation so far, whose messages are not shown any more:\n\n${summary}`);

/** The first message, when it stands for older ones. */
export const standIn = (text: string): Message => ({ role: 'user', text, by: 'summary' });

/** Remembers what the first message says, which stands for those before an event. */
function foldStandIn(state: SessionState, from: number): void {
  state.compacted = { text: state.messages[0]?.text ?? '', from };
}

/** Stands where turns have left, below the summary of what was before them. */
const LEFT = 'Earlier messages are not shown any more, since the conversation had become too long.';

/** What the first message says when it stands for others before it, and else nothing. */
const standInOf = ([first]: readonly Message[]): string =>
  first?.role === 'user' && first.by === 'summary' ? first.text : '';

const leftBelow = (text: string): Message =>
  standIn(text.endsWith(LEFT) ? text : text === '' ? LEFT : `${text}\n\n${LEFT}`);

function lastTurns(messages: readonly Message[], turns: number): readonly Message[] {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  return messages.slice(starts.slice(-turns)[0]);
}

/** What is left of a conversation begins with the tools that were there by then. */
export function withoutChange([first, ...others]: readonly Message[]): readonly Message[] {
  if (first?.role !== 'user') return first ? [first, ...others] : [];
  const { toolsChange: _, ...bare } = first;
  return [bare, ...others];
}

const upTo = <T extends { readonly shown?: number }>(result: T, characters: number): T => ({
  ...result,
  shown: Math.min(characters, result.shown ?? characters),
});
