import { untilAborted } from '../../tool/async.ts';
import type { GivenUp } from './failures.ts';

/** A signal that also aborts when time is up, and knows which of both it was. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Undefined while neither has happened. */
  readonly givenUp: GivenUp | undefined;
  /** Waits for the work, or until the signal aborts: then it rejects with the signal's reason. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** Begins a time of `timeout` ms. */
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
