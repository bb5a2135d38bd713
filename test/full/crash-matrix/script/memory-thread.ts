/** A worker thread that plays its share of the cells in memory. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Disturbance } from '../../../doors/testing.ts';
import type { Guard } from '../lab/sabotage.ts';
import { type Cell, createTrials, type PlayedCell, playAll } from '../matrix.ts';
import { SCENARIOS } from '../scenarios.ts';

/** The cells of one thread. */
export interface ThreadTask {
  readonly cells: readonly { readonly kind: string; readonly disturbance: Disturbance }[];
  readonly without: Guard | undefined;
}

/** A message from a thread: a finished play, or `done`. */
export type ThreadMessage = { readonly played: PlayedCell } | 'done';

const { cells, without } = workerData as ThreadTask; // set by the code that starts the thread
const say = (message: ThreadMessage): void => parentPort?.postMessage(message);

const kinds = new Set(cells.map(({ kind }) => kind));
const trials = await createTrials(SCENARIOS.filter(({ kind }) => kinds.has(kind)));
const trialsByKind = new Map(trials.map((trial) => [trial.scenario.kind, trial]));
const ownCells = cells.flatMap(({ kind, disturbance }): Cell[] => {
  const trial = trialsByKind.get(kind);
  return trial ? [{ trial, disturbance }] : [];
});
await playAll(ownCells, { without, onPlayed: (played) => say({ played }) });
say('done');
