/** How calls that wait are shown. */
import type { Asking } from '../journal/asking.ts';
import { PENDING_CALL, type PendingCall } from '../journal/wait.ts';
import { type Infer, type Shape, TEXT } from '../tool/shape.ts';

/** A call that waits, with the address at which it is answered. */
export interface PendingView extends Infer<typeof PENDING_VIEW> {}
export const PENDING_VIEW = {
  object: {
    links: { anyOf: [{ object: { approvals: TEXT } }, { object: { results: TEXT } }] },
  },
  and: PENDING_CALL,
} as const satisfies Shape;

/** Shows a call of the session at `path`, with the address at which it is answered. */
export const toPendingView =
  (path: string) =>
  (pending: PendingCall): PendingView => ({
    ...pending,
    links:
      pending.for === 'decision'
        ? { approvals: answerPath(path, pending) }
        : { results: answerPath(path, pending) },
  });

/**
 * Returns where a question is answered. A call may ask more than once: its later questions have addresses of their own, so that
 * an answer which is sent twice is never taken for the next question.
 */
export function answerPath(
  path: string,
  { call, question, for: kind }: Pick<PendingCall, 'call' | 'question' | 'for'>,
): string {
  const which = question === 1 ? '' : `?question=${question}`;
  return `${path}/${kind === 'decision' ? 'approvals' : 'results'}/${encodeURIComponent(call)}${which}`;
}

/** What a turn waits for, by its events. */
export type ShowsPending = Pick<Asking, 'pending'>;
