import { createMemorySessions } from '../../in-memory/memory-session.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { Clock } from '../../session/read-platform.ts';
import { createTimers, waitForPromises } from '../clocks.ts';

/** A fresh session for one play, and its clock. */
export interface CrashableSession {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Returns the view of the session for one invocation. Defaults to the session itself. */
  outgoing?(port: SessionPort): SessionPort;
  /**
   * `true` if an invocation may throw on an unreadable response of the object. Another one then takes over,
   * as after a crash.
   */
  readonly isUnreadable?: boolean | undefined;
  /** Restarts the object, which loses its memory. If `abruptly` is `true`, it crashes. */
  restart(abruptly: boolean): Promise<void>;
  wait(ms: number): Promise<void>;
  /**
   * Returns the promise's value. Time passes only while no other work is pending. @throws Error if the
   * promise does not settle.
   */
  until<T>(promise: Promise<T>, progress: Progress): Promise<T>;
  /** Returns the number of pending timers on the clock. */
  timersLeft(): number;
}

/** Shows whether an invocation is still active. */
export interface Progress {
  /** The number of its operations so far. */
  readonly moves: number;
  /** `true` while the user's code runs, which may take real time. */
  readonly isBusy: boolean;
}

const LEASE_MS = 20_000;

/** The name of the session, the same in every play. */
const SESSION_NAME = '["owner","agent","s1"]';

/** Simulated milliseconds after which an invocation counts as hanging. */
const HANG_MS = 3_600_000;

/**
 * The maximum number of real-time waits for an idle invocation. It may wait for events outside the simulated
 * clock.
 */
const MAX_IDLE_WAITS = 2;

/** Real milliseconds after which running user code is assumed to wait for the simulated clock. */
const REAL_WAIT_MS = 1_000;

/** Creates a session in memory, on a clock that stops while any work is pending. */
export function createCrashableMemorySession(): CrashableSession {
  const clock = createSimulatedClock(1_000_000);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  return {
    port: sessions.session(SESSION_NAME),
    clock,
    timersLeft: clock.timersLeft,
    leaseMs: LEASE_MS,
    restart: async () => sessions.restart(SESSION_NAME),
    wait: (ms) => clock.advance(ms),
    until: (promise, progress) => runUntilSettled(clock, promise, progress),
  };
}

async function runUntilSettled<T>(
  clock: SimulatedClock,
  promise: Promise<T>,
  progress: Progress,
): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  const end = clock.now() + HANG_MS;
  for (let [idle, before] = [0, progress.moves]; ; idle += 1) {
    await clock.quiet();
    if (isSettled) return promise;
    if (progress.moves !== before) [idle, before] = [0, progress.moves];
    if (progress.isBusy || idle < MAX_IDLE_WAITS) await waitInRealTime(progress);
    if (isSettled || clock.isBusy || progress.moves !== before) continue;
    if (clock.now() > end || !clock.toNextTimer()) throw new Error('The invocation hangs.');
  }
}

/** Waits in real time, so that the user's code can receive external events. */
async function waitInRealTime(progress: Progress): Promise<void> {
  const { moves } = progress;
  const began = performance.now();
  do await new Promise((resolve) => setTimeout(resolve, 0));
  while (progress.isBusy && progress.moves === moves && performance.now() - began < REAL_WAIT_MS);
}

/** A clock whose time passes only when no other work can continue, so that plays are reproducible. */
interface SimulatedClock extends Clock {
  soon(run: () => void): () => void;
  /** Resolves when only work that waits for time is left. */
  quiet(): Promise<void>;
  /** `true` while work is pending that does not wait for time. */
  readonly isBusy: boolean;
  /** Advances to the next timer, and runs it. Returns `false` if there is no timer. */
  toNextTimer(): boolean;
  /** Advances the time, and runs due timers in order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Returns the number of its timers. */
  timersLeft(): number;
}

/** Creates a clock that starts at `now`, in milliseconds since the epoch. */
function createSimulatedClock(now: number): SimulatedClock {
  const timers = createTimers(now);
  const waiting = new Set<() => void>();

  async function waitForQuiet(): Promise<void> {
    await waitForPromises();
    while (waiting.size > 0) {
      const due = [...waiting];
      waiting.clear();
      for (const run of due) run();
      await waitForPromises();
    }
  }

  return {
    now: () => timers.now,
    after: timers.after,
    soon(run) {
      waiting.add(run);
      return () => void waiting.delete(run);
    },
    quiet: waitForQuiet,
    get isBusy() {
      return waiting.size > 0;
    },
    toNextTimer: () => timers.runNext(Infinity),
    advance: (ms) => timers.advance(ms, waitForQuiet),
    timersLeft: () => timers.size,
  };
}
