import type { StoredEvent } from '../journal/events.ts';
import { parseEvent } from '../journal/parse-event.ts';
import type { Notice, SessionPort } from '../journal/session-port.ts';
import type { Clock } from './clock.ts';
import { isOpen } from './is-open.ts';
import type { Meter } from './meter.ts';
import { Notices } from './notices.ts';

/** Whoever watches a session. */
export interface Watch {
  readonly port: Pick<SessionPort, 'read' | 'watch'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of the invocation that watches; without one it may go on for ever. */
  readonly meter?: Meter | undefined;
}

interface Follow extends Watch {
  /** The first sequence wanted. */
  readonly from: number;
  /** Only the events of this turn, until it has ended or waits for a decision. */
  readonly turn?: string | undefined;
}

/**
 * `stopped`: the turn has ended or waits. `erased`: the session is no more, though there may be another one
 * of its name. `left`: the signal has aborted. `over`: the invocation is near a limit.
 */
export type FollowEnd = 'stopped' | 'erased' | 'left' | 'over';

/**
 * Shows the journal from a sequence on, and then live. The line to the object tells how far it is as soon
 * as it is open, and pages are read up to what it told, so that nothing falls between; a broken line is
 * taken up again.
 */
export async function followSession(
  { port, clock, from, turn, signal, meter }: Follow,
  show: (stored: StoredEvent) => void | Promise<void>,
): Promise<FollowEnd> {
  const notices = new Notices({ port, clock, signal, meter });
  let next = from;
  let head = 0;
  try {
    for (;;) {
      if (signal.aborted) return 'left';
      if (meter?.over) return 'over';
      const { count } = notices;
      const page = await port.read({ from: next, turn });
      if (notices.wasErased || page === null || page.head < head) return 'erased';
      head = page.head;
      for (const row of page.rows) {
        meter?.fold(row.body.length);
        await show(parseEvent(row));
      }
      next = page.next ?? Math.max(next, head + 1);
      if (page.next !== null) continue;
      if (turn !== undefined && !isOpen(page, turn)) return 'stopped';
      // What was told before the page was read is in the page.
      const isOver = (told: Notice): boolean =>
        turn !== undefined && notices.count > count && !isOpen(told, turn);
      await notices.until((told) => told.head >= next || told.head === 0 || isOver(told));
    }
  } finally {
    notices.close();
  }
}
