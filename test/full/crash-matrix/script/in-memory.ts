import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { MODES } from '../../../doors/testing.ts';
import { createTrials, listCells, type PlayedCell } from '../matrix.ts';
import { SCENARIOS } from '../scenarios.ts';
import type { TableRow } from '../table.ts';
import type { ThreadMessage, ThreadTask } from './memory-thread.ts';
import type { MatrixOptions } from './options.ts';

/** The results of the plays in memory. */
export interface MemoryPlays {
  readonly rows: readonly TableRow[];
  readonly played: readonly PlayedCell[];
}

/** Plays every cell in memory, on all processors. `onPlayed` receives the progress. */
export async function playInMemory(
  { only, at, without }: Pick<MatrixOptions, 'only' | 'at' | 'without'>,
  onPlayed: (done: number, of: number) => void,
): Promise<MemoryPlays> {
  const trials = await createTrials(SCENARIOS.filter(({ kind }) => only === undefined || kind === only));
  const cells = listCells(trials, MODES)
    .filter(({ disturbance }) => at === undefined || disturbance.at === at)
    .map(({ trial, disturbance }) => ({ kind: trial.scenario.kind, disturbance }));
  const threads = availableParallelism();
  const played: PlayedCell[] = [];
  const shares = Array.from({ length: threads }, (_, index): ThreadTask => {
    return { cells: cells.filter((_one, place) => place % threads === index), without };
  });
  await Promise.all(
    shares.map((share) => runThread(share, (one) => onPlayed(played.push(one), cells.length))),
  );
  const rows = trials.map(({ scenario, positions }) => ({
    kind: scenario.kind,
    positions: positions.length,
  }));
  return { rows, played };
}

function runThread(share: ThreadTask, onPlayed: (played: PlayedCell) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const thread = new Worker(new URL('./memory-thread.ts', import.meta.url), { workerData: share });
  thread.on('message', (message: ThreadMessage) => {
    if (message === 'done') resolve();
    else onPlayed(message.played);
  });
  thread.on('error', reject);
  thread.on('exit', () => reject(new Error('A worker thread ended before it had played all of its cells.')));
  return promise;
}
