import type { Clock } from '../session/clock.ts';

export interface ManualClock extends Clock {
  /** Moves time on, and runs what falls due in order, each at its own time. Promises settle after each of them. */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** A clock that stands still between calls of `advance`. */
export function createManualClock(start = 0): ManualClock {
  let now = start;
  const timers = new Set<Timer>();

  function nextUntil(end: number): Timer | undefined {
    const due = [...timers].filter((timer) => timer.due <= end);
    return due.sort((a, b) => a.due - b.due)[0];
  }

  return {
    now: () => now,
    after(ms, run) {
      const timer = { due: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let timer = nextUntil(end); timer !== undefined; timer = nextUntil(end)) {
        timers.delete(timer);
        now = Math.max(now, timer.due);
        timer.run();
        await settle();
      }
      now = end;
    },
  };
}

/** A task runs after every promise that can settle without waiting for anything outside has done so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
