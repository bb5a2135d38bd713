/** Stores messages that are not sent yet, so that they remain in other views and in branches. */
import type { SessionStore } from '../data/session-store.ts';

type Place = Pick<SessionStore, 'agent' | 'id'>;

const drafts = new Map<string, string>();

const keyOf = ({ agent, id }: Place): string => JSON.stringify([agent, id]);

export const draftOf = (place: Place): string => drafts.get(keyOf(place)) ?? '';

/** Stores a message. An empty text deletes it. */
export function keepDraft(place: Place, text: string): void {
  if (text === '') drafts.delete(keyOf(place));
  else drafts.set(keyOf(place), text);
}
