import type { StoredEvent } from '../journal/events.ts';
import { parseEvent } from '../journal/parse-event.ts';
import type { EventPage } from '../journal/session-port.ts';
import { PAGE_BYTES } from './fold-session.ts';
import type { Watch } from './follow-session.ts';
import { isOpen, type Standing } from './is-open.ts';
import { Notices } from './notices.ts';
import { SessionErasedError } from './session-erased-error.ts';
import { SessionUnavailableError } from './session-unavailable-error.ts';
import { type Behind, waitsBehind } from './waits-behind.ts';

interface Watched extends Watch {
  readonly turn: string;
}

/**
 * Resolves with the events of a turn once it has ended or waits for a decision. Until then nothing is read:
 * notices tell of it, and cost nothing.
 *
 * @throws SessionErasedError when there is no such turn any more; SessionUnavailableError when the
 *   invocation must end before; the signal's reason when it aborts.
 */
export const turnStopped = (watched: Watched): Promise<StoredEvent[]> =>
  untilStopped<never>(watched, () => undefined);

/** As `turnStopped`; or, as soon as it is in line behind a turn that waits for somebody, with the id of that. */
export const turnStoppedOrBehind = (watched: Watched): Promise<StoredEvent[] | Behind> =>
  untilStopped(watched, (at) => waitsBehind(at, watched.turn));

async function untilStopped<Otherwise extends object>(
  { port, clock, signal, meter, turn }: Watched,
  otherwise: (at: Standing) => Otherwise | undefined,
): Promise<StoredEvent[] | Otherwise> {
  const notices = new Notices({ port, clock, signal, meter });
  try {
    // Taken before a page is read: what is told meanwhile may be news, on a line of its own.
    let { count } = notices;
    let at: Standing = await port.read({ from: Number.MAX_SAFE_INTEGER, turn, limit: 1 });
    for (;;) {
      const other = otherwise(at);
      if (other) return other;
      const seen = count;
      const isOver = (told: Standing): boolean => !isOpen(told, turn) || otherwise(told) !== undefined;
      if (isOpen(at, turn)) await notices.until((told) => notices.count > seen && isOver(told));
      signal.throwIfAborted();
      count = notices.count;
      const events: StoredEvent[] = [];
      let from: number | null = 1;
      while (from !== null) {
        if (meter?.over) throw new SessionUnavailableError(new Error(`this invocation has ${meter.over}`));
        const page: EventPage | null = await port.read({ from, turn, maxBytes: PAGE_BYTES });
        if (page === null) throw new SessionErasedError();
        events.push(...page.rows.map(parseEvent));
        from = page.next;
        at = page;
      }
      // It may have been gone on with since.
      if (isOpen(at, turn)) continue;
      if (events.length === 0) throw new SessionErasedError();
      return events;
    }
  } finally {
    notices.close();
  }
}
