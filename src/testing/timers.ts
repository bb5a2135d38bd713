/** Timers of a clock that is moved by hand. */
interface Timers {
  readonly now: number;
  readonly size: number;
  /** As `Clock.after`. */
  after(ms: number, run: () => void): () => void;
  /** Moves on to the first timer that is due until then, in ms since the epoch, and runs it; `false` when there is none. */
  runNext(until: number): boolean;
  /** Moves time on, and runs what falls due in order, each at its own time. Everything settles before and after each. */
  advance(ms: number, settled: () => Promise<void>): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Makes those of a clock that stands at `now`, in ms since the epoch. */
export function createTimers(now: number): Timers {
  const timers = new Set<Timer>();

  function runNext(until: number): boolean {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && timer.due < (first?.due ?? Infinity)) first = timer;
    if (!first) return false;
    timers.delete(first);
    now = Math.max(now, first.due);
    first.run();
    return true;
  }

  return {
    get now() {
      return now;
    },
    get size() {
      return timers.size;
    },
    after(ms, run) {
      const timer = { due: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    runNext,
    async advance(ms, settled) {
      const end = now + ms;
      await settled();
      while (runNext(end)) await settled();
      now = end;
    },
  };
}
