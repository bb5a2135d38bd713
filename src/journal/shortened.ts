import type { SessionEvent } from './events.ts';
import { isStart, type Message } from './state.ts';

type Event = Extract<SessionEvent, { type: 'conversation-shortened' }>;

/** What of a conversation is still shown. */
export type Shortening = Pick<Event, 'turns' | 'withoutSummary' | 'characters'>;

/** Stands where turns have left, below the summary of what was before them. */
const LEFT = 'Earlier messages are not shown any more, since the conversation had become too long.';

/** The conversation as it is shown then: its last turns, and the beginning of each of its results. */
export function shortened(messages: readonly Message[], shortening: Shortening): Message[] {
  const { turns, withoutSummary, characters } = shortening;
  const before = withoutSummary ? '' : standInOf(messages);
  const left = turns === undefined ? [...messages] : [leftBelow(before), ...lastTurns(messages, turns)];
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

/** What the model is shown in the place of the messages that a summary replaces. */
export const summaryMessage = (summary: string): Message =>
  standIn(`Summary of the conversation so far, whose messages are not shown any more:\n\n${summary}`);

/** The first message, when it stands for older ones. */
export const standIn = (text: string): Message => ({ role: 'user', text, by: 'summary' });

/** What the first message says when it stands for others before it, and else nothing. */
const standInOf = ([first]: readonly Message[]): string =>
  first?.role === 'user' && first.by === 'summary' ? first.text : '';

const leftBelow = (text: string): Message =>
  standIn(text.endsWith(LEFT) ? text : text === '' ? LEFT : `${text}\n\n${LEFT}`);

function lastTurns(messages: readonly Message[], turns: number): readonly Message[] {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  return messages.slice(starts.slice(-turns)[0]);
}

const upTo = <T extends { readonly shown?: number }>(result: T, characters: number): T => ({
  ...result,
  shown: Math.min(characters, result.shown ?? characters),
});
