/** Folds the state of a session at any of its events with the code of this deployment. */
import { parseEvent } from '../../journal/event-rows.ts';
import type { StoredEvent } from '../../journal/events.ts';
import { reduce } from '../../journal/reduce.ts';
import { createEmptyState, type SessionState } from '../../journal/state.ts';
import { MAX_PAGE_BYTES, readPages } from '../../session/fold-session.ts';
import { toUnreadable } from '../../session/read-session.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import { Problem } from '../../worker/problem.ts';
import { createUnknownSessionError } from '../../worker/session-view.ts';
import type { SessionAccess } from '../../worker/target.ts';

/**
 * Returns the events of a session up to a sequence number, and the number of its last event.
 *
 * @throws SessionError if the session does not exist.
 */
export async function readEventsUpTo(
  { target }: Pick<SessionAccess, 'target'>,
  last: number,
): Promise<{ readonly events: readonly StoredEvent[]; readonly head: number }> {
  const { port } = target;
  const first = await port.read({ from: 1, maxBytes: MAX_PAGE_BYTES });
  if (!first) throw createUnknownSessionError(target);
  const events: StoredEvent[] = [];
  for await (const { rows } of readPages(port, first, {})) {
    for (const row of rows) if (row.seq <= last) events.push(parseEvent(row));
    if ((rows.at(-1)?.seq ?? 0) >= last) break;
  }
  return { events, head: first.head };
}

/** Folds events, starting from the first event. @throws UnreadableError if this code cannot fold them. */
export function foldEvents(events: readonly StoredEvent[], memories: readonly ToolMemory[]): SessionState {
  const state = createEmptyState();
  try {
    for (const event of events) reduce(state, event, memories);
  } catch (failure) {
    throw toUnreadable(failure);
  }
  return state;
}

/**
 * Reads a sequence number from the query. Returns `undefined` if the query has none. @throws Problem if it is
 * invalid.
 */
export function parseSeq(request: Request, name: string): number | undefined {
  const value = new URL(request.url).searchParams.get(name);
  if (value === null) return undefined;
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  throw new Problem('invalid-query', `${name} must be the sequence number of an event, such as 12.`);
}
