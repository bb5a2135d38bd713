import {
  createCrashableMemorySession,
  DISTURBANCES,
  type Disturbance,
  getDisturbanceName,
  listDisturbances,
  MODES,
  type Mode,
  mapConcurrently,
} from '../../doors/testing.ts';
import { type Guard, SABOTAGES } from './lab/sabotage.ts';
import type { Scenario } from './lab/scenario.ts';
import { type Finding, Trial } from './lab/trial.ts';

/** A scenario and one disturbance. */
export interface Cell {
  readonly trial: Trial;
  readonly disturbance: Disturbance;
}

/** A cell that was played. */
export interface PlayedCell extends Finding {
  readonly kind: string;
  readonly disturbance: Disturbance;
}

/** Returns every cell of these scenarios: each position with each mode. */
export const listCells = (trials: readonly Trial[], modes: readonly Mode[]): Cell[] =>
  trials.flatMap((trial) =>
    modes.flatMap((mode) =>
      listDisturbances(trial.positions, mode).map((disturbance) => ({ trial, disturbance })),
    ),
  );

/** Returns cells with one mode for each position. The modes alternate, so that neighboring positions differ. */
export const listCellsInTurn = (trials: readonly Trial[]): Cell[] =>
  listCells(trials, MODES).filter(({ disturbance: { at, mode } }) => {
    const ways: readonly Mode[] = DISTURBANCES[getDisturbanceName(mode)];
    return ways[(Math.floor(at / 2) + (at % 2)) % ways.length] === mode;
  });

/** Runs the undisturbed plays of these scenarios. */
export const createTrials = (scenarios: readonly Scenario[]): Promise<Trial[]> =>
  Promise.all(scenarios.map((scenario) => Trial.of(scenario)));

export interface PlayAllOptions {
  /** The guard to remove. */
  readonly without?: Guard | undefined;
  readonly onPlayed?: ((played: PlayedCell) => void) | undefined;
}

/** Plays the cells in memory. Returns the results in the order of the cells. */
export function playAll(
  cells: readonly Cell[],
  { without, onPlayed = () => {} }: PlayAllOptions = {},
): Promise<PlayedCell[]> {
  const makeSession = without
    ? () => SABOTAGES[without](createCrashableMemorySession())
    : createCrashableMemorySession;
  return mapConcurrently(cells, async ({ trial, disturbance }) => {
    const played = {
      kind: trial.scenario.kind,
      disturbance,
      ...(await trial.find(makeSession, [disturbance])),
    };
    onPlayed(played);
    return played;
  });
}
