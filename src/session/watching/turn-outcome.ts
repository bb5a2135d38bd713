import type { StoredEvent } from '../../journal/events.ts';
import { NewerEventError, parseEvent } from '../../journal/parse-event.ts';
import type { EventPage } from '../../journal/session-port.ts';
import { PAGE_BYTES } from '../fold-session.ts';
import type { TurnEnd } from '../run-turn.ts';
import { SessionErasedError, SessionUnavailableError } from '../send-again.ts';
import { isOpen, Notices, type Standing, type Watch } from './follow-session.ts';
import { type SuspendedTurn, stoppedTurn, type TurnAnswer, toAnswer } from './turn-answer.ts';

/** A turn that somebody waits for. */
export interface AwaitedTurn extends Watch {
  /** The session's id, and the name of its agent. */
  readonly session: string;
  readonly agent: string;
  readonly turn: string;
}

/**
 * How a turn stands when whoever waits for it is told. `queued`: it is in line behind a turn that waits for somebody. `kept`:
 * it is stored, and this invocation cannot see it through; another one does.
 */
export type TurnOutcome =
  | { readonly status: 'ended'; readonly answer: TurnAnswer }
  | { readonly status: 'suspended'; readonly answer: SuspendedTurn; readonly events: readonly StoredEvent[] }
  | { readonly status: 'queued'; readonly turn: string; readonly behind: string }
  | { readonly status: 'kept'; readonly turn: string };

/**
 * Runs a turn here and answers what it came to. When another invocation goes on with it, its end is waited for.
 *
 * @throws what `outcomeElsewhere` does, and what `run` does.
 */
export async function outcomeHere(awaited: AwaitedTurn, run: () => Promise<TurnEnd>): Promise<TurnOutcome> {
  const end = await run().catch(keptFor);
  if (end === 'kept') return { status: 'kept', turn: awaited.turn };
  if (end.status !== 'ended') return outcomeElsewhere(awaited);
  const answer = toAnswer(awaited.session, awaited.agent, end.turn);
  if (!answer) throw new Error('A turn ended without an outcome.');
  return { status: 'ended', answer };
}

/**
 * Waits for a turn that runs, or ran, elsewhere, or waits.
 *
 * @throws SessionErasedError when there is no such turn any more; the signal's reason when it aborts.
 */
export async function outcomeElsewhere(awaited: AwaitedTurn): Promise<TurnOutcome> {
  const { turn, session, agent } = awaited;
  const end = await turnStoppedOrBehind(awaited).catch(keptFor);
  if (end === 'kept') return { status: 'kept', turn };
  if ('behind' in end) return { status: 'queued', turn, behind: end.behind };
  const answer = stoppedTurn(session, agent, end);
  const { outcome } = answer;
  return outcome === 'suspended'
    ? { status: 'suspended', answer: { ...answer, outcome }, events: end }
    : { status: 'ended', answer: { ...answer, outcome } };
}

/** The turn is stored: what this invocation cannot read now, another one will. */
export function keptFor(failure: unknown): 'kept' {
  if (failure instanceof NewerEventError || failure instanceof SessionUnavailableError) return 'kept';
  throw failure;
}

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
const turnStoppedOrBehind = (watched: Watched): Promise<StoredEvent[] | Behind> =>
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

/** The open turn, which waits for somebody while another one is in line behind it. */
export interface Behind {
  readonly behind: string;
}

/** Tells whether this turn is in line behind one that waits for somebody: nobody can tell how long that takes. */
export const waitsBehind = (at: Standing, turn: string): Behind | undefined =>
  at?.openTurn?.state === 'waiting' && at.waiting.some((one) => one.turn === turn && one.status === 'queued')
    ? { behind: at.openTurn.id }
    : undefined;
