import type { Clock } from '../../session/read-platform.ts';
import { createTimers } from '../timers.ts';
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

/** Makes one that stands at `now`, in ms since the epoch. */
export function createSimulatedClock(now: number): SimulatedClock {
  const timers = createTimers(now);
  const waiting = new Set<() => void>();

  async function quiet(): Promise<void> {
    await promisesSettled();
    while (waiting.size > 0) {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
      await promisesSettled();
    }
  }

  return {
    now: () => timers.now,
    after: timers.after,
    soon(run) {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    quiet,
    get isBusy() {
      return waiting.size > 0;
    },
    toNextTimer: () => timers.runNext(Infinity),
    advance: (ms) => timers.advance(ms, quiet),
    timersLeft: () => timers.size,
  };
}

/** Waits for promises that wait for nothing but each other, and for hashes where these are made in order. */
export async function promisesSettled(): Promise<void> {
  for (let made: Promise<unknown> | undefined; made !== lastHash(); ) {
    made = lastHash();
    await made;
    await nextTask();
  }
}

/**
 * Resolves in a task of its own: after every promise that can settle without waiting for anything outside. At once where the
 * runtime has `setImmediate`, since timers of 0 ms take one.
 */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
