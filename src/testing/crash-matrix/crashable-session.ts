import { createMemorySessions } from '../../in-memory/memory-session.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import type { Clock } from '../../session/read-platform.ts';
import { createTimers, promisesSettled } from '../clocks.ts';

/** Where a play takes place: one fresh session, and its time. */
export interface CrashableSession {
  readonly port: SessionPort;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** The session as one invocation sees it; as it is unless given. */
  outgoing?(port: SessionPort): SessionPort;
  /** Invocations may throw, since what they are told cannot be read: others take over then, as after a crash. */
  readonly isUnreadable?: boolean | undefined;
  /** The object loses its memory; `abruptly`: as by a crash. */
  restart(abruptly: boolean): Promise<void>;
  wait(ms: number): Promise<void>;
  /** The promise's value. It must come: time passes while nothing else happens. @throws Error when it does not. */
  until<T>(promise: Promise<T>, progress: Progress): Promise<T>;
  /** Timers that were left on the clock. */
  timersLeft(): number;
}

/** What tells whether an invocation still does something. */
export interface Progress {
  /** Counts what it did, for whoever waits until it does nothing more. */
  readonly moves: number;
  /** Code of the user runs, which may take real time. */
  readonly isBusy: boolean;
}

const LEASE_MS = 20_000;

/** The name of the session: the same in every play. */
const NAME = '["owner","agent","s1"]';

/** How long one invocation may take by the clock before it counts as hanging, in ms. */
const HANGS = 3_600_000;

/** How often real time passes while an invocation does nothing: it may wait for something that is not on the clock. */
const PATIENCE = 2;

/** How long code of the user may take before it is taken to wait for the clock, in real ms. */
const REAL_TIME = 1_000;

/** A session in memory, on a clock that stands still while anything happens. */
export function crashableMemorySession(): CrashableSession {
  const clock = createSimulatedClock(1_000_000);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  return {
    port: sessions.session(NAME),
    clock,
    timersLeft: clock.timersLeft,
    leaseMs: LEASE_MS,
    restart: async () => sessions.restart(NAME),
    wait: (ms) => clock.advance(ms),
    until: (promise, progress) => settled(clock, promise, progress),
  };
}

async function settled<T>(clock: SimulatedClock, promise: Promise<T>, progress: Progress): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  const end = clock.now() + HANGS;
  for (let [idle, before] = [0, progress.moves]; ; idle += 1) {
    await clock.quiet();
    if (isSettled) return promise;
    if (progress.moves !== before) [idle, before] = [0, progress.moves];
    if (progress.isBusy || idle < PATIENCE) await realTime(progress);
    if (isSettled || clock.isBusy || progress.moves !== before) continue;
    if (clock.now() > end || !clock.toNextTimer()) throw new Error('The invocation hangs.');
  }
}

/** Lets code of the user go on that waits for something real. */
async function realTime(progress: Progress): Promise<void> {
  const { moves } = progress;
  const began = performance.now();
  do await new Promise((resolve) => setTimeout(resolve, 0));
  while (progress.isBusy && progress.moves === moves && performance.now() - began < REAL_TIME);
}

/** A clock whose time passes only when nothing else can happen: whatever is played by it goes the same way every time. */
interface SimulatedClock extends Clock {
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
function createSimulatedClock(now: number): SimulatedClock {
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
