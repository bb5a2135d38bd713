/**
 * `npm run crash-matrix` plays every kind of tool in memory with every disturbance at every position. It also
 * plays a seeded sample in real Durable Objects, and forks and retries with a disturbance at each message to an
 * object (`npm run plays`). Prints the results. Exits with 1 if a guarantee is violated.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { PlayedCell } from '../matrix.ts';
import { SCENARIOS } from '../scenarios.ts';
import { formatTable, listFailures, type TableRow } from '../table.ts';
import type { WorkerdOrder } from '../workerd-order.ts';
import { playInMemory } from './in-memory.ts';
import { playInWorkerd } from './in-workerd.ts';
import { formatHelp, type MatrixOptions, readOptions } from './options.ts';

const kinds = SCENARIOS.map(({ kind }) => kind);

/** The maximum number of failures in the output. */
const MAX_SHOWN = 10;

/** @throws Error if the run fails for a reason other than a violated guarantee. */
async function run(options: MatrixOptions): Promise<boolean> {
  const began = performance.now();
  const { only, at, without, seed, samples: count } = options;
  if (without) console.log(`crash-matrix: without ${without}`);
  let shown = 0;
  const memory = await playInMemory(options, (done, of) => {
    const tenth = Math.floor((10 * done) / of);
    if (tenth > shown)
      console.log(`crash-matrix: ${done} of ${of} in memory, ${formatElapsedSeconds(began)}`);
    shown = Math.max(shown, tenth);
  });
  print('in memory', memory.rows, memory.played);
  const sampled = count === 0 ? [] : await runInWorkerd({ count, seed, only, without });
  const isPart = [only, at, without].some((one) => one !== undefined);
  const isRight =
    [...memory.played, ...sampled].every(({ verdict }) => verdict.is !== 'failed') &&
    (isPart || playForksAndRetries());
  console.log(`crash-matrix: ${formatElapsedSeconds(began)}; ${isRight ? 'PASS' : 'FAIL'}`);
  return isRight;
}

/**
 * Runs the plays with several sessions. A scenario has only one session, so these plays use the real session
 * object and requests.
 */
function playForksAndRetries(): boolean {
  const plays = join(import.meta.dirname, '../../plays/run-plays.ts');
  return spawnSync(process.execPath, [plays, '--matrix', 'whole'], { stdio: 'inherit' }).status === 0;
}

async function runInWorkerd(order: WorkerdOrder): Promise<readonly PlayedCell[]> {
  console.log(`crash-matrix: ${order.count} samples in workerd, seed ${order.seed} ...`);
  const played = await playInWorkerd(order);
  const rows = kinds.flatMap((kind) => {
    const positions = new Set(
      played.filter((one) => one.kind === kind).map(({ disturbance }) => disturbance.at),
    );
    return positions.size === 0 ? [] : [{ kind, positions: positions.size }];
  });
  print('in workerd', rows, played);
  return played;
}

function print(where: string, rows: readonly TableRow[], played: readonly PlayedCell[]): void {
  console.log(`\n${where}\n${formatTable(rows, played)}\n`);
  for (const failure of listFailures(played, MAX_SHOWN)) console.log(`failed: ${failure}`);
}

const formatElapsedSeconds = (began: number): string =>
  `${((performance.now() - began) / 1000).toFixed(1)} s`;

function parseOptionsOrHelp(): MatrixOptions | undefined {
  try {
    return readOptions(process.argv.slice(2), kinds);
  } catch (problem) {
    console.error(`${problem instanceof Error ? problem.message : problem}\n`);
    process.exitCode = 2;
    return undefined;
  }
}

const options = parseOptionsOrHelp();
if (options) process.exitCode = (await run(options)) ? 0 : 1;
else console.log(formatHelp(kinds));
