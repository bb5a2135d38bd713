/** A pseudorandom number generator. */
export interface Chance {
  /** Returns an integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
}

/** Creates a generator (mulberry32). The same seed yields the same numbers. */
export function createChance(seed: number): Chance {
  let state = seed;
  const drawNext = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { between: (from, to) => from + Math.floor(drawNext() * (to - from + 1)) };
}
