import type { Clock } from '../../session/clock.ts';
import { lastHash } from './orderly-hashes.ts';

/** A clock whose time passes only when nothing else can happen: whatever is played by it goes the same way every time. */
export interface SimulatedClock extends Clock {
  soon(run: () => void): () => void;
  /** Resolves when everything has happened that can without time passing. */
  quiet(): Promise<void>;
  /** Something is to happen soon, before any time passes. */
  readonly isBusy: boolean;
  /** Lets time pass until the next timer, and runs that; `false` when there is none. */
  toNextTimer(): boolean;
  /** Lets so much time pass, and runs what falls due in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Timers that are on it. */
  timersLeft(): number;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Makes one that stands at `now`, in ms since the epoch. */
export function createSimulatedClock(now: number): SimulatedClock {
  const timers = new Set<Timer>();
  const waiting = new Set<() => void>();

  function next(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= until && timer.due < (first?.due ?? Infinity)) first = timer;
    return first;
  }

  function fire(timer: Timer): void {
    timers.delete(timer);
    now = Math.max(now, timer.due);
    timer.run();
  }

  async function quiet(): Promise<void> {
    await settle();
    while (waiting.size > 0) {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
      await settle();
    }
  }

  return {
    now: () => now,
    after(ms, run) {
      const timer = { due: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    soon(run) {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    quiet,
    get isBusy() {
      return waiting.size > 0;
    },
    toNextTimer() {
      const timer = next(Infinity);
      if (timer) fire(timer);
      return timer !== undefined;
    },
    async advance(ms) {
      const end = now + ms;
      await quiet();
      for (let timer = next(end); timer; timer = next(end)) {
        fire(timer);
        await quiet();
      }
      now = end;
    },
    timersLeft: () => timers.size,
  };
}

/** More promises than wait for each other between two things that an invocation does. */
const TURNS = 150;

/** Promises settle meanwhile that wait for nothing but each other, and for hashes. */
async function settle(): Promise<void> {
  for (let made: Promise<unknown> | undefined; made !== lastHash(); ) {
    made = lastHash();
    await made;
    for (let turn = 0; turn < TURNS; turn += 1) await undefined;
  }
}
