import { SLICES } from '../../agent/kinds.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { parseEvent } from '../../journal/parse-event.ts';
import { reduce } from '../../journal/reduce.ts';
import type { EventPage, SessionPort } from '../../journal/session-port.ts';
import { emptyState, type SessionState } from '../../journal/state.ts';

/** The fold of a journal. */
export const stateOf = (events: readonly StoredEvent[]): SessionState =>
  events.reduce((state, { seq, event }) => reduce(state, seq, event, SLICES), emptyState());

/** All events of a session. */
export async function journalOf(port: Pick<SessionPort, 'read'>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page: EventPage | null = await port.read({ from });
    events.push(...(page?.rows ?? []).map(parseEvent));
    from = page?.next ?? null;
  }
  return events;
}
