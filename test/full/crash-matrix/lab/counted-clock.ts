import type { Clock } from '../../../../src/testing/entry.ts';
import { runSoon } from '../../../doors/session.ts';

/** Counts the active timers of a clock. */
export function countTimers(clock: Clock): { readonly clock: Clock; timersLeft(): number } {
  const timers = new Set<object>();
  return {
    timersLeft: () => timers.size,
    clock: {
      now: () => clock.now(),
      soon: (run) => runSoon(clock, run),
      after(ms, run) {
        const timer = {};
        timers.add(timer);
        const cancel = clock.after(ms, () => {
          timers.delete(timer);
          run();
        });
        return () => {
          timers.delete(timer);
          cancel();
        };
      },
    },
  };
}
