import type { Clock } from '../session/read-platform.ts';
import { promisesSettled } from './crash-matrix/simulated-clock.ts';
import { createTimers } from './timers.ts';

export interface ManualClock extends Clock {
  soon(run: () => void): () => void;
  /**
   * Moves time on, and runs what falls due in order, each at its own time. Before and after each of them, everything happens
   * that needs no time: with 0, only that.
   */
  advance(ms: number): Promise<void>;
}

/** A clock that stands still between calls of `advance`. */
export function createManualClock(start = 0): ManualClock {
  const timers = createTimers(start);
  const waiting = new Set<() => void>();
  const runNow = (run: () => void): void => {
    if (waiting.delete(run)) run();
  };

  async function quiet(): Promise<void> {
    await promisesSettled();
    while (waiting.size > 0) {
      for (const run of [...waiting]) runNow(run);
      await promisesSettled();
    }
  }

  return {
    now: () => timers.now,
    after: timers.after,
    soon(run) {
      const once = (): void => run();
      waiting.add(once);
      setTimeout(() => runNow(once), 0); // also while nobody moves the clock
      return () => void waiting.delete(once);
    },
    advance: (ms) => timers.advance(ms, quiet),
  };
}
