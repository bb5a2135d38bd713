/** Messages that were not sent yet, so that another view or a branch does not lose them. */
import type { SessionStore } from '../data/session-store.ts';

type Place = Pick<SessionStore, 'agent' | 'id'>;

const drafts = new Map<string, string>();

const keyOf = ({ agent, id }: Place): string => JSON.stringify([agent, id]);

export const draftOf = (place: Place): string => drafts.get(keyOf(place)) ?? '';

/** Keeps a message. An empty one is forgotten. */
export function keepDraft(place: Place, text: string): void {
  if (text === '') drafts.delete(keyOf(place));
  else drafts.set(keyOf(place), text);
}
