import { createMemorySessions } from '../memory-session.ts';
import type { Progress } from './crashable-invocation.ts';
import type { CrashableSession } from './crashable-session.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';

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
