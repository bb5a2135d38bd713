import { createManualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import { createMemorySessions } from '../../../src/testing/memory-session.ts';
import { counted } from './counted-clock.ts';
import type { Stage } from './stage.ts';

export const LEASE_MS = 20_000;

/** The name of the session: the same in every play. */
const NAME = '["owner","survivor","s1"]';

/** How often an invocation may do nothing at all before time passes, and before it counts as hanging. */
const PATIENCE = 6;
const HANGS = 60;

/** A session in memory, on a clock that stands still while anything happens. */
export function memoryStage(): Stage {
  const clock = createManualClock(1_000_000);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  return {
    port: sessions.session(NAME),
    ...counted(clock),
    leaseMs: LEASE_MS,
    restart: async () => sessions.restart(NAME),
    wait: (ms) => clock.advance(ms),
    until: (promise, moves) => settled(clock, promise, moves),
  };
}

async function settled<T>(clock: ManualClock, promise: Promise<T>, moves: () => number): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let idle = 0, before = moves(); idle < HANGS && !isSettled; before = moves()) {
    await clock.advance(idle < PATIENCE ? 0 : LEASE_MS / 10);
    idle = moves() === before ? idle + 1 : 0;
  }
  if (!isSettled) throw new Error('The invocation hangs.');
  return promise;
}
