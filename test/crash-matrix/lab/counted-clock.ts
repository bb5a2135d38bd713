import type { Clock } from '../../../src/session/clock.ts';

/** The clock, and how many timers are on it. */
export function counted(clock: Clock): { readonly clock: Clock; timersLeft(): number } {
  const timers = new Set<object>();
  return {
    timersLeft: () => timers.size,
    clock: {
      now: () => clock.now(),
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
