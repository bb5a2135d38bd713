import { SLICES } from '../../agent/kinds.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { reduce } from '../../journal/reduce.ts';
import { emptyState, type SessionState } from '../../journal/state.ts';

/** The state of a session by its whole journal. */
export const foldEvents = (events: readonly StoredEvent[]): SessionState =>
  events.reduce((state, stored) => reduce(state, stored, SLICES), emptyState());
