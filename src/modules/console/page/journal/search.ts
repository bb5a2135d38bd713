import type { StoredEvent } from '../../../../journal/events.ts';

/** The searched text of each event: its beginning as JSON, in lower case. */
const texts = new WeakMap<StoredEvent, string>();

const MAX_SEARCHED_CHARACTERS = 20_000;

function getSearchedText(event: StoredEvent): string {
  const known = texts.get(event) ?? JSON.stringify(event).slice(0, MAX_SEARCHED_CHARACTERS).toLowerCase();
  texts.set(event, known);
  return known;
}

/** Returns the events of a type that contain all words of a text. Empty values match all events. */
export function filterEvents(
  events: readonly StoredEvent[],
  { text, type }: { readonly text: string; readonly type: string },
): readonly StoredEvent[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && type === '') return [...events];
  return events.filter(
    (event) =>
      (type === '' || event.type === type) && words.every((word) => getSearchedText(event).includes(word)),
  );
}
