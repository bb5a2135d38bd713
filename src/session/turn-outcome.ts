import type { StoredEvent } from '../journal/events.ts';
import { NewerEventError } from '../journal/parse-event.ts';
import type { Watch } from './follow-session.ts';
import type { TurnEnd } from './run-turn.ts';
import { SessionUnavailableError } from './session-unavailable-error.ts';
import { type SuspendedTurn, stoppedTurn, type TurnAnswer, toAnswer } from './turn-answer.ts';
import { turnStoppedOrBehind } from './turn-stopped.ts';

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
