import { toRow } from '../journal/event-rows.ts';
import type { SessionEvent } from '../journal/events.ts';
import { ModelError } from '../model/chat-model.ts';

/** The most bytes of a reply that a session keeps. Its event is one message to the session's object, which takes at most 32 MiB. */
export const MAX_KEPT_REPLY = 16 * 1024 * 1024;

/**
 * Returns the event of a reply if a session can keep it.
 *
 * @throws ModelError `invalid-reply` if it cannot: a reply that is never stored would be asked for again and again.
 */
export function keepable<Event extends SessionEvent>(model: string, event: Event): Event {
  const weight = weightOf(toRow(event).body);
  if (weight <= MAX_KEPT_REPLY) return event;
  throw new ModelError(
    'invalid-reply',
    `The model '${model}' answered with a reply that cannot be kept: its event weighs ${weight} bytes, and a session keeps at most ${MAX_KEPT_REPLY}. Set a smaller maxOutputTokens.`,
  );
}

/** The platform sends a text with two bytes a character if one of them is not Latin-1, and else with one. */
const weightOf = (text: string): number =>
  text.length > MAX_KEPT_REPLY / 2 && NOT_LATIN_1.test(text) ? 2 * text.length : text.length;

const NOT_LATIN_1 = /[^\0-\xff]/;
