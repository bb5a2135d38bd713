import { type Clock, soon } from '../session/read-platform.ts';

/** A clock that stands still until a test moves it. */
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
      setTimeout(() => void promisesSettled().then(() => runNow(once)), 0); // also while nobody moves the clock
      return () => void waiting.delete(once);
    },
    advance: (ms) => timers.advance(ms, quiet),
  };
}

/** A clock that can be put forward. */
interface SkippableClock extends Clock {
  /** What is waited for falls due as before. */
  skip(ms: number): void;
  /** What is waited for falls due so much earlier. */
  pass(ms: number): void;
}

interface MovableTimer {
  due: number;
  readonly run: () => void;
  cancel: () => void;
}

/** The given clock, and whatever was skipped of it. */
export function skippableClock(clock: Clock): SkippableClock {
  let skipped = 0;
  const timers = new Set<MovableTimer>();
  const start = (timer: MovableTimer): void => {
    timer.cancel = clock.after(Math.max(0, timer.due - clock.now()), () => {
      timers.delete(timer);
      timer.run();
    });
  };
  return {
    now: () => clock.now() + skipped,
    after(ms, run) {
      const timer: MovableTimer = { due: clock.now() + ms, run, cancel: () => {} };
      timers.add(timer);
      start(timer);
      return () => {
        timers.delete(timer);
        timer.cancel();
      };
    },
    soon: (run) => soon(clock, run),
    skip(ms) {
      skipped += ms;
    },
    pass(ms) {
      skipped += ms;
      for (const timer of timers) {
        timer.cancel();
        timer.due -= ms;
        start(timer);
      }
    },
  };
}

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

type Digest = typeof crypto.subtle.digest;

/** Hashes that are being made, one after another. */
let last: Promise<unknown> = Promise.resolve();
/** How many pieces of work need them in order, and what makes them otherwise. */
let users = 0;
let original: Digest | undefined;

/**
 * Does the work while hashes are made in the order in which they are asked for. Engines make them on threads, so that it is
 * chance which of two is ready first, and whether before or after something else: a play would not go the same way twice.
 * `crypto.subtle.digest` is another function meanwhile, with the same results.
 */
export async function withOrderlyHashes<T>(work: () => Promise<T>): Promise<T> {
  const { subtle } = crypto;
  users += 1;
  if (!original) {
    const digest = subtle.digest.bind(subtle);
    original = digest;
    const inOrder: Digest = (algorithm, data) => {
      const made = last.then(() => digest(algorithm, data));
      last = made.catch(() => {});
      return made;
    };
    Object.defineProperty(subtle, 'digest', { value: inOrder, configurable: true });
  }
  try {
    return await work();
  } finally {
    users -= 1;
    if (users === 0) {
      Reflect.deleteProperty(subtle, 'digest'); // the prototype's own is there again
      original = undefined;
    }
  }
}

/** Settles when every hash is there that was asked for so far; another one as soon as there is one more. */
const lastHash = (): Promise<unknown> => last;
