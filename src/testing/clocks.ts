import { type Clock, runSoon } from '../session/read-platform.ts';

/** A clock whose time only changes when a test advances it. */
export interface ManualClock extends Clock {
  soon(run: () => void): () => void;
  /**
   * Advances the time, and runs due callbacks in order, each at its own time. Before and after each callback,
   * all pending promises settle. With 0, only promises settle.
   */
  advance(ms: number): Promise<void>;
}

/**
 * Creates a clock whose time only changes through `advance`.
 *
 * @example
 * ```ts
 * const clock = createManualClock();
 * const session = createTestSession(researcher, { replies: ['Done.'], clock });
 * await clock.advance(60_000);
 * ```
 */
export function createManualClock(start = 0): ManualClock {
  const timers = createTimers(start);
  const waiting = new Set<() => void>();
  const runNow = (run: () => void): void => {
    if (waiting.delete(run)) run();
  };

  async function waitForQuiet(): Promise<void> {
    await waitForPromises();
    while (waiting.size > 0) {
      for (const run of [...waiting]) runNow(run);
      await waitForPromises();
    }
  }

  return {
    now: () => timers.now,
    after: timers.after,
    soon(run) {
      const runOnce = (): void => run();
      waiting.add(runOnce);
      setTimeout(() => void waitForPromises().then(() => runNow(runOnce)), 0); // runs even without `advance`
      return () => void waiting.delete(runOnce);
    },
    advance: (ms) => timers.advance(ms, waitForQuiet),
  };
}

/** A clock that tests can move forward. */
interface SkippableClock extends Clock {
  /** Moves the time forward without bringing timers closer to being due. */
  skip(ms: number): void;
  /** Moves the time forward, so that timers are due earlier. */
  pass(ms: number): void;
}

interface MovableTimer {
  due: number;
  readonly run: () => void;
  cancel: () => void;
}

/** Returns a clock that adds skipped time to the given clock. */
export function createSkippableClock(clock: Clock): SkippableClock {
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
    soon: (run) => runSoon(clock, run),
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

interface Timers {
  readonly now: number;
  readonly size: number;
  /** Works like `Clock.after`. */
  after(ms: number, run: () => void): () => void;
  /**
   * Moves to the first timer that is due by `until`, in milliseconds since the epoch, and runs it. Returns
   * `false` if no timer is due.
   */
  runNext(until: number): boolean;
  /**
   * Advances the time, and runs due timers in order, each at its own time. Awaits `settled` before and after
   * each.
   */
  advance(ms: number, settled: () => Promise<void>): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** Creates timers for a clock that starts at `now`, in milliseconds since the epoch. */
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

/**
 * Waits for promises that depend only on other promises, and for hashes if `withOrderedHashes` orders them.
 */
export async function waitForPromises(): Promise<void> {
  for (let made: Promise<unknown> | undefined; made !== waitForLastHash(); ) {
    made = waitForLastHash();
    await made;
    await waitForNextTask();
  }
}

/**
 * Resolves in a later task, after every promise that can settle without external events. Prefers
 * `setImmediate`, since a timer of 0 ms takes a millisecond.
 */
const waitForNextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });

type Digest = typeof crypto.subtle.digest;

/** The last hash that `withOrderedHashes` has queued. */
let lastDigest: Promise<unknown> = Promise.resolve();
/** The number of running `withOrderedHashes` calls, and the original function. */
let orderedUsers = 0;
let originalDigest: Digest | undefined;

/**
 * Runs the work, with hashes that complete in the order of their requests. Engines compute hashes on threads,
 * so the order would otherwise be random, and a play not reproducible. Replaces `crypto.subtle.digest` during
 * the work.
 */
export async function withOrderedHashes<T>(work: () => Promise<T>): Promise<T> {
  const { subtle } = crypto;
  orderedUsers += 1;
  if (!originalDigest) {
    const digest = subtle.digest.bind(subtle);
    originalDigest = digest;
    const digestInOrder: Digest = (algorithm, data) => {
      const made = lastDigest.then(() => digest(algorithm, data));
      lastDigest = made.catch(() => {});
      return made;
    };
    Object.defineProperty(subtle, 'digest', { value: digestInOrder, configurable: true });
  }
  try {
    return await work();
  } finally {
    orderedUsers -= 1;
    if (orderedUsers === 0) {
      Reflect.deleteProperty(subtle, 'digest'); // restores the prototype's own function
      originalDigest = undefined;
    }
  }
}

/** Settles when all hashes requested so far are complete. */
const waitForLastHash = (): Promise<unknown> => lastDigest;
