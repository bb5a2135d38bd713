/**
 * `npm run chaos -- --seed N` runs `wrangler dev` with many concurrent sessions, kills it with SIGKILL at
 * random moments, and restarts it. A separate process counts effects. Prints the progress and the findings.
 * Exits with 1 if there are findings.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { findFreePort } from '../../../src/examples/demo/ports.ts';
import { Stage } from '../../../src/examples/demo/stage.ts';
import { createTemporaryDirectory } from '../../../src/examples/demo/temporary-directory.ts';
import { LOG_FILE } from '../../../src/examples/demo/worker-process.ts';
import { createChance } from '../process/chance.ts';
import { runCommand } from '../process/run-command.ts';
import { waitUntilAtRest } from './at-rest.ts';
import { computeFigures } from './figures.ts';
import { readJournals } from './journals.ts';
import type { Ledger } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import { type ChaosOptions, readOptions, USAGE } from './options.ts';
import { judge } from './oracle.ts';
import { formatReport } from './report.ts';
import { drawLives } from './schedule.ts';

const ENTRY = 'test/full/chaos/worker/chaos-worker.ts';

/**
 * The time that a turn may take after the last restart or the previous turn, in ms, in addition to three lease
 * terms.
 */
const PATIENCE_MS = 10_000;
/** The additional wait in ms that distinguishes late turns from stuck turns. */
const LAST_WAIT_MS = 30_000;

const began = performance.now();
const formatElapsedSeconds = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s`;

/** @throws Error if the run fails for a reason other than a violated guarantee. */
async function run(options: ChaosOptions): Promise<boolean> {
  const { seed, kills, sessions, leaseMs } = options;
  console.log(`chaos: seed ${seed}; ${kills} kills, ${sessions} sessions, leases of ${leaseMs} ms`);
  const directory = createTemporaryDirectory('holdfast-chaos-');
  const effects = await countEffects(join(directory, 'effects.jsonl'));
  const port = await findFreePort();
  const stage = new Stage({ effects, port, directory, entry: ENTRY });
  await stage.start({ LEASE_MS: String(leaseMs) });
  const over = new AbortController();
  const chance = createChance(seed);
  const lives = drawLives(createChance(chance.between(0, 2 ** 31)), kills, leaseMs);
  const load = startLoad({ url: stage.url, over: over.signal }, chance, sessions);
  const killed = await killAgainAndAgain(stage, load, lives);
  const restartedAt = Date.now();
  const patience = 3 * leaseMs + PATIENCE_MS;
  const timer = setTimeout(() => over.abort(), patience + LAST_WAIT_MS);
  await load.close();
  await waitUntilAtRest(stage.url, load.sessions, over.signal);
  clearTimeout(timer);
  console.log(`chaos: ${formatElapsedSeconds()}  all is answered, or given up; ${formatProgress(load)}`);
  const journals = await readJournals(stage.url, load.sessions);
  await stage.end('stop');
  const log = readFileSync(join(directory, LOG_FILE), 'utf8');
  const executions = effects.executions();
  return printVerdict(
    { sent: load.sent, journals, executions, kills: killed, restartedAt, patience, log },
    options,
  );
}

/** Returns the times of the kills. */
async function killAgainAndAgain(stage: Stage, load: Load, lives: readonly number[]): Promise<number[]> {
  const kills: number[] = [];
  for (const [index, life] of lives.entries()) {
    await delay(life);
    kills.push(Date.now());
    await stage.end('kill');
    const down = performance.now();
    await stage.start();
    const up = Math.round(performance.now() - down);
    console.log(
      `chaos: ${formatElapsedSeconds()}  kill ${index + 1} of ${lives.length}, after a life of ${life} ms; up again in ${up} ms; ${formatProgress(load)}`,
    );
  }
  return kills;
}

function formatProgress({ sent }: Load): string {
  const accepted = sent.filter(({ replies }) => replies.some((reply) => 'turn' in reply)).length;
  const answered = sent.filter(({ replies }) => replies.some(({ came }) => came === 'answer')).length;
  return `messages: sent ${sent.length}, accepted ${accepted}, ended ${answered}`;
}

function printVerdict(ledger: Ledger, { seed }: ChaosOptions): boolean {
  const figures = computeFigures(ledger);
  const findings = judge(ledger);
  console.log(`\n${formatReport(figures, findings)}\n`);
  const passed = findings.length === 0;
  console.log(
    `chaos: seed ${seed}; ${ledger.kills.length} kills, ${ledger.kills.length} restarts; the last turn ended ${figures.last} ms ` +
      `after the last restart, and none took longer than ${figures.longest} of ${ledger.patience} ms; ${findings.length} findings; ` +
      `${formatElapsedSeconds().trim()}; ${passed ? 'PASS' : 'FAIL'}`,
  );
  return passed;
}

await runCommand({ usage: USAGE, readOptions, run });
