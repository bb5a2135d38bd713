import type { FoldStart, ReadQuery } from '../src/journal/event-page.ts';
import type { Reader } from '../src/journal/session-port.ts';
import type { SessionStorage } from './session-storage.ts';

/** What a session is folded from, and which events come after it. */
export interface FoldRange extends FoldStart, Pick<ReadQuery, 'from' | 'types'> {}

/** Goes on with the texts of an answer before, which did not hold all of them; answers none where these are not asked for. */
export function furtherTexts(
  storage: SessionStorage,
  { from, types }: Pick<ReadQuery, 'from' | 'types'>,
  maxBytes: number,
): Omit<FoldRange, 'snapshot'> {
  const none = { covered: [], from, types };
  if (types?.textsFrom === undefined || from > types.until) return none;
  const { names, until, textsFrom } = types;
  const { texts, until: last } = storage.bodies({ names, from: textsFrom, after: from - 1, until, maxBytes });
  return last < from ? none : { covered: texts, from: last + 1, types };
}

/** Answers what a session is folded from, as far as the reader can use it and one answer may hold it. */
export function foldRange(storage: SessionStorage, { reducer, messageTypes, maxBytes }: Reader): FoldRange {
  const snapshot = storage.snapshot(reducer);
  if (snapshot === null) return { snapshot, covered: [], from: 1 };
  const { seq: until, messagesFrom: first = 1 } = snapshot;
  const names = messageTypes;
  const covered = storage.bodies({ names, from: first, until, maxBytes });
  return { snapshot, covered: covered.texts, from: covered.until + 1, types: { names, until } };
}
