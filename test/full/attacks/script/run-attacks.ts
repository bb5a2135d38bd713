/**
 * `npm run attacks` runs hundreds of attacks over HTTP against `wrangler dev` with two tenants. Prints a line
 * for each group, and the attacks that succeeded. Exits with 1 if there are any.
 */
import { join } from 'node:path';
import { findFreePort } from '../../../../src/examples/demo/ports.ts';
import { createTemporaryDirectory } from '../../../../src/examples/demo/temporary-directory.ts';
import { LOG_FILE, startWorker } from '../../../../src/examples/demo/worker-process.ts';
import { runCommand } from '../../process/run-command.ts';
import { startEnemyServer } from './enemy-server.ts';
import { GROUPS } from './groups.ts';
import { type AttackOptions, HOLES, readOptions, USAGE } from './options.ts';
import { type GroupReport, playAll } from './play.ts';
import { startPuppetModel } from './puppet-model.ts';
import { SECRETS } from './secrets.ts';
import { startWorld } from './world.ts';

const ENTRY = 'test/full/attacks/worker/attacked-worker.ts';
const CONFIG = 'test/full/attacks/worker/wrangler.toml';

/** Returns `true` if every attack was refused or harmless. */
async function run({ only, holes, verbose }: AttackOptions): Promise<boolean> {
  const began = performance.now();
  const directory = createTemporaryDirectory('holdfast-attacks-');
  const [world, model, enemy] = await Promise.all([startWorld(), startPuppetModel(), startEnemyServer()]);
  const urls = { WORLD_URL: world.url, MODEL_URL: model.url, REMOTE_URL: enemy.url };
  const vars = { ...SECRETS, ...urls, HOLE: holes.join(','), LEASE_MS: '3000' };
  const worker = await startWorker({
    entry: ENTRY,
    config: CONFIG,
    port: await findFreePort(),
    directory,
    vars,
  });
  const say = (line: string): void => console.log(line);
  for (const hole of holes) say(`A hole is planted: ${HOLES[hole]}.`);
  const reports = await playAll(
    {
      stage: { origin: worker.url, world, model, enemy },
      logFile: join(directory, LOG_FILE),
      say,
      verbose,
      only,
    },
    GROUPS,
  );
  await worker.stop();
  for (const server of [world, model, enemy]) server.stop();
  return printVerdict(reports, (performance.now() - began) / 1000);
}

function printVerdict(reports: readonly GroupReport[], seconds: number): boolean {
  const sum = (of: (report: GroupReport) => number): number =>
    reports.reduce((total, report) => total + of(report), 0);
  const tried = sum((report) => report.tried);
  const failed = sum((report) => report.failed.length);
  const broken = sum((report) => report.broken.length);
  const waiting = sum((report) => report.waiting.length);
  if (waiting > 0) console.log(`${waiting} attacks wait for what is not built yet, and are not counted.`);
  console.log(`\n${broken} invariants broken; ${seconds.toFixed(1)} s`);
  console.log(`attacks: ${tried - failed} of ${tried} refused or harmless`);
  return tried > 0 && failed === 0 && broken === 0;
}

await runCommand({ usage: USAGE, readOptions, run });
