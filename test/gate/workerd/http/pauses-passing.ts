import { vi } from 'vitest';

/** Does the work, whose timers are over as soon as they are set: nobody waits for the pauses between its tries. */
export async function pausesPassing<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const passing = setInterval(() => vi.runOnlyPendingTimers(), 1);
  try {
    return await work();
  } finally {
    clearInterval(passing);
    vi.useRealTimers();
  }
}
