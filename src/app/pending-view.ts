import type { StoredEvent } from '../journal/events.ts';
import { type PendingCall, toPendingCall } from '../session/pending-call.ts';
import { openQuestions, type Question } from '../session/questions.ts';
import type { Target } from './target.ts';

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends PendingCall {
  readonly links: { readonly approvals: string } | { readonly results: string };
}

/** What a turn waits for, by its events: the same wherever it is told. */
export const pendingViews = (
  target: Pick<Target, 'path'>,
  events: readonly StoredEvent[],
): readonly PendingView[] =>
  openQuestions(events).map((question) => ({
    ...toPendingCall(question),
    links:
      question.wait.for === 'decision'
        ? { approvals: answerPath(target, question) }
        : { results: answerPath(target, question) },
  }));

/**
 * Where a question is answered. A call may ask more than once: its later questions have addresses of their own, so that
 * an answer which is sent twice is never taken for the next question.
 */
export function answerPath({ path }: Pick<Target, 'path'>, { call, number, wait }: Question): string {
  const kind = wait.for === 'decision' ? 'approvals' : 'results';
  const which = number === 1 ? '' : `?question=${number}`;
  return `${path}/${kind}/${encodeURIComponent(call.id)}${which}`;
}
