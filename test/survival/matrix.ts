import type { Disturbance, Mode } from './lab/course.ts';
import { memoryStage } from './lab/memory-stage.ts';
import { type Guard, SABOTAGES } from './lab/sabotage.ts';
import type { Scenario } from './lab/scenario.ts';
import { Trial } from './lab/trial.ts';
import type { Verdict } from './lab/verdict.ts';

/** The disturbances of DESIGN 9, and the ways in which the matrix does each. */
export const DISTURBANCES = {
  'cold fold': ['cold-fold'],
  'lost acknowledgement': ['lost-acknowledgement'],
  abandoned: ['rejects', 'hangs'],
  'abandoned, zombie': ['zombie-at-once', 'zombie-amid', 'zombie-later'],
} as const satisfies Readonly<Record<string, readonly Mode[]>>;

export type DisturbanceName = keyof typeof DISTURBANCES;

/** One play of the matrix. */
export interface Cell {
  readonly trial: Trial;
  readonly disturbance: Disturbance;
}

/** A cell that was played. */
export interface Played {
  readonly kind: string;
  readonly disturbance: Disturbance;
  readonly verdict: Verdict;
}

/** Every cell of these scenarios: each moment under each of the modes. */
export const cellsOf = (trials: readonly Trial[], modes: readonly Mode[]): Cell[] =>
  trials.flatMap((trial) =>
    modes.flatMap((mode) => trial.disturbances(mode).map((disturbance) => ({ trial, disturbance }))),
  );

/** The undisturbed plays of these scenarios. */
export const trialsOf = (scenarios: readonly Scenario[]): Promise<Trial[]> =>
  Promise.all(scenarios.map((scenario) => Trial.of(scenario)));

/** How many plays are under way at once: they wait for the event loop more than they compute. */
const AT_ONCE = 48;

export interface PlayAllOptions {
  /** The guard that is taken away. */
  readonly without?: Guard | undefined;
  readonly onPlayed?: ((played: Played) => void) | undefined;
}

/** Plays the cells in memory, and answers them in order. */
export async function playAll(
  cells: readonly Cell[],
  { without, onPlayed = () => {} }: PlayAllOptions = {},
): Promise<Played[]> {
  const sabotage = without && SABOTAGES[without];
  const played: Played[] = [];
  const left = cells.entries();
  const work = async (): Promise<void> => {
    for (const [index, { trial, disturbance }] of left) {
      const verdict = await trial.verdict(memoryStage, [disturbance], sabotage);
      const one = { kind: trial.scenario.kind, disturbance, verdict };
      played[index] = one;
      onPlayed(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return played;
}
