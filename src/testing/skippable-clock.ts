import { type Clock, soon } from '../session/read-platform.ts';

/** A clock that can be put forward. */
interface SkippableClock extends Clock {
  /** What is waited for falls due as before. */
  skip(ms: number): void;
  /** What is waited for falls due so much earlier. */
  pass(ms: number): void;
}

interface Timer {
  due: number;
  readonly run: () => void;
  cancel: () => void;
}

/** The given clock, and whatever was skipped of it. */
export function skippableClock(clock: Clock): SkippableClock {
  let skipped = 0;
  const timers = new Set<Timer>();
  const arm = (timer: Timer): void => {
    timer.cancel = clock.after(Math.max(0, timer.due - clock.now()), () => {
      timers.delete(timer);
      timer.run();
    });
  };
  return {
    now: () => clock.now() + skipped,
    after(ms, run) {
      const timer: Timer = { due: clock.now() + ms, run, cancel: () => {} };
      timers.add(timer);
      arm(timer);
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
        arm(timer);
      }
    },
  };
}
