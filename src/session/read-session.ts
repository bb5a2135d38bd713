import type { EventPage, ReadQuery } from '../journal/event-page.ts';
import { parseEvent } from '../journal/event-rows.ts';
import type { StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { type FoldedSession, foldLeased, PAGE_BYTES, pagesFrom, readerOf } from './fold-session.ts';
import { toUnreadable } from './unread-turn.ts';

/**
 * The state of a session by its whole journal, without a lease, and what happened in its last turn; `null` when there is
 * no such session.
 */
export async function foldAll(
  port: Pick<SessionPort, 'read'>,
  memories: readonly ToolMemory[],
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const page = await port.read({ from: 1, maxBytes: PAGE_BYTES });
  if (!page) return null;
  const folded = await foldLeased(port, { snapshot: null, covered: [], page }, { memories });
  return { ...folded, page };
}

/**
 * The state of a session without a lease, as `foldLeased` has it: by its snapshot, so that only what came after is read event by
 * event. `turnEvents` are those of the last turn unless a snapshot covers it, which is one that has ended; `null` when there is
 * no such session.
 *
 * @throws NewerEventError as `foldLeased` does, UnreadableError when it cannot be folded.
 */
export async function foldShown(
  port: Pick<SessionPort, 'read'>,
  { memories, reducer }: { readonly memories: readonly ToolMemory[]; readonly reducer: number },
): Promise<(FoldedSession & { readonly page: EventPage }) | null> {
  const { maxBytes, ...folded } = readerOf({ reducer });
  const page = await port.read({ from: 1, folded, maxBytes });
  if (!page) return null;
  const { snapshot, covered } = page.foldStart ?? { snapshot: null, covered: [] };
  try {
    return { ...(await foldLeased(port, { snapshot, covered, page }, { memories })), page };
  } catch (failure) {
    throw toUnreadable(failure, page);
  }
}

/** Reads all events of a session in order, or those of one turn; none when there is no such session. */
export async function readJournal(
  port: Pick<SessionPort, 'read'>,
  of: Pick<ReadQuery, 'turn'> = {},
): Promise<StoredEvent[]> {
  const page = await port.read({ ...of, from: 1, maxBytes: PAGE_BYTES });
  return page ? readOn(port, page, of) : [];
}

/** Reads the events of a page, and those of the pages after it, of one turn if the page is of one. */
export async function readOn(
  port: Pick<SessionPort, 'read'>,
  page: EventPage,
  of: Pick<ReadQuery, 'turn'>,
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const { rows } of pagesFrom(port, page, of)) events.push(...rows.map(parseEvent));
  return events;
}

/** The events of one turn, in order. */
export const readTurn = (port: Pick<SessionPort, 'read'>, turn: string): Promise<StoredEvent[]> =>
  readJournal(port, { turn });
