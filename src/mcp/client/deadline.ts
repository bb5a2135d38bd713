import { untilAborted } from '../../tools/until-aborted.ts';
import type { GivenUp } from './failure-phrases.ts';

/** A signal that also aborts when time is up, and which of both it was. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Undefined while neither. */
  readonly givenUp: GivenUp | undefined;
  /** Waits for that, or until the signal aborts: it rejects with the reason then, and what came of it is not looked at. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** `timeout` in ms, from now. */
export function createDeadline(signal: AbortSignal, timeout: number): Deadline {
  const late = AbortSignal.timeout(timeout);
  const either = AbortSignal.any([signal, late]);
  return {
    signal: either,
    get givenUp() {
      if (signal.aborted) return { why: 'cancelled', timeout } as const;
      return late.aborted ? ({ why: 'timeout', timeout } as const) : undefined;
    },
    wait: (work) => untilAborted(either, work),
  };
}
