import { BUILT_IN_KINDS, type ToolKinds } from '../../built-in-kinds.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { reduce } from '../../journal/reduce.ts';
import { emptyState, type SessionState } from '../../journal/state.ts';

/** The state of a session by its whole journal. */
export const foldEvents = (
  events: readonly StoredEvent[],
  { memories }: ToolKinds = BUILT_IN_KINDS,
): SessionState => events.reduce((state, stored) => reduce(state, stored, memories), emptyState());
