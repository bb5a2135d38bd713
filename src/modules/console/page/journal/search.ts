/** The search in a journal. */
import type { StoredEvent } from '../../../../journal/events.ts';

/** The text of an event that is searched, in lower case. Made once for each event, and of its first part. */
const texts = new WeakMap<StoredEvent, string>();

const MOST = 20_000;

function searched(event: StoredEvent): string {
  const known = texts.get(event) ?? JSON.stringify(event).slice(0, MOST).toLowerCase();
  texts.set(event, known);
  return known;
}

/** Returns the events that contain all words of a text, and have this type. Empty values match all. */
export function matching(
  events: readonly StoredEvent[],
  { text, type }: { readonly text: string; readonly type: string },
): readonly StoredEvent[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && type === '') return [...events];
  return events.filter(
    (event) => (type === '' || event.type === type) && words.every((word) => searched(event).includes(word)),
  );
}
