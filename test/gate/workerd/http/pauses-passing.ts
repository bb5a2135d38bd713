import { vi } from 'vitest';

/** Runs the work with timers that fire immediately, so that pauses between attempts take no time. */
export async function withoutPauses<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const passing = setInterval(() => vi.runOnlyPendingTimers(), 1);
  try {
    return await work();
  } finally {
    clearInterval(passing);
    vi.useRealTimers();
  }
}
