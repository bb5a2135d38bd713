/** Time as this code reads it, so that a test can hold it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
  /** Calls back once at the end of this turn of the event loop; a real timer of 0 ms does unless given. */
  soon?(run: () => void): () => void;
}

/** Calls back once at the end of this turn of the event loop, as the clock understands it; the answer cancels it. */
export function soon(clock: { readonly soon?: Clock['soon'] | undefined }, run: () => void): () => void {
  return clock.soon?.(run) ?? systemClock.after(0, run);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
