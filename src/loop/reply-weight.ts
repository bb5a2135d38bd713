import { toRow } from '../journal/event-rows.ts';
import type { EventOf } from '../journal/events.ts';
import { ModelError } from '../model/chat-model.ts';

/** The most bytes of a reply that a session keeps. Its event is one message to the session's object, which takes at most 32 MiB. */
export const MAX_KEPT_REPLY = 16 * 1024 * 1024;

/**
 * Returns the event of a reply if a session can keep it.
 *
 * @throws ModelError `invalid-reply` if it cannot: a reply that is never stored would be asked for again and again.
 */
export function keepable(model: string, event: EventOf<'model-replied'>): EventOf<'model-replied'> {
  let characters = event.text.length;
  for (const { providerId, name, input } of event.toolCalls)
    characters += providerId.length + name.length + input.length + OF_CALL;
  // Most replies are far too small, and need not be written as JSON twice.
  if (!event.parts && characters <= SMALL) return event;
  const weight = weightOf(toRow(event).body);
  if (weight <= MAX_KEPT_REPLY) return event;
  throw new ModelError(
    'invalid-reply',
    `The model '${model}' answered with a reply that cannot be kept: its event weighs ${weight} bytes, and a session keeps at most ${MAX_KEPT_REPLY}. Set a smaller maxOutputTokens.`,
  );
}

/** Characters of a call beside what its model wrote. */
const OF_CALL = 256;

/** As JSON a character is six at most, of two bytes each. */
const SMALL = MAX_KEPT_REPLY / 16;

/** The platform sends a text with two bytes a character if one of them is not Latin-1, and else with one. */
const weightOf = (text: string): number =>
  text.length > MAX_KEPT_REPLY / 2 && NOT_LATIN_1.test(text) ? 2 * text.length : text.length;

const NOT_LATIN_1 = /[^\0-\xff]/;
