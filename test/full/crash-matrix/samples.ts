import { listDisturbances, MODES } from '../../doors/testing.ts';
import type { Trial } from './lab/trial.ts';
import type { Cell } from './matrix.ts';

/** Draws cells with a seed: each trial in turn, with a random mode and position. */
export function drawSamples(
  trials: readonly Trial[],
  { count, seed }: { count: number; seed: number },
): Cell[] {
  const below = createRandom(seed);
  return Array.from({ length: trials.length === 0 ? 0 : count }, (_, index) => {
    const trial = pick(trials, index % trials.length);
    const mode = pick(MODES, below(MODES.length));
    const disturbances = listDisturbances(trial.positions, mode);
    return { trial, disturbance: pick(disturbances, below(disturbances.length)) };
  });
}

function pick<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error(`The index ${index} is outside a list of ${list.length} items.`);
  return found;
}

/** Returns a deterministic generator of integers below a bound. */
function createRandom(seed: number): (bound: number) => number {
  let state = seed >>> 0 || 1;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
