import type { Clock } from '../session/clock.ts';
import { createTimers } from './timers.ts';

export interface ManualClock extends Clock {
  /** Moves time on, and runs what falls due in order, each at its own time. Promises settle after each of them. */
  advance(ms: number): Promise<void>;
}

/** A clock that stands still between calls of `advance`. */
export function createManualClock(start = 0): ManualClock {
  const timers = createTimers(start);
  return {
    now: () => timers.now,
    after: timers.after,
    advance: (ms) => timers.advance(ms, settle),
  };
}

/** A task runs after every promise that can settle without waiting for anything outside has done so. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
