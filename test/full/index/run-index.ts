/**
 * `npm run index` compares an index with the journals of many sessions under kills, and checks that an erasure
 * removes all data of an owner. Exits with 1 if there are differences.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '../../../src/examples/demo/temporary-directory.ts';
import { runCommand } from '../process/run-command.ts';
import { computeQuantile } from './agreement.ts';
import { IndexedSite } from './indexed-site.ts';
import { type IndexOptions, readOptions, USAGE } from './options.ts';
import { NOTHING_LEFT, runErasure, runLoad } from './run-play.ts';

/** The timeout of the comparison after the load in ms. Lease terms are added to it. */
const SETTLE_MS = 180_000;

/**
 * The maximum delay of the 99th percentile of turns without kills, in ms. With kills, the maximum is two lease
 * terms.
 */
const MAX_LAG_MS = 5_000;

async function run(options: IndexOptions): Promise<boolean> {
  const directory = createTemporaryDirectory('holdfast-index-');
  const leaseMs = options['lease-ms'];
  const start = async (name: string): Promise<IndexedSite> => {
    mkdirSync(join(directory, name));
    return IndexedSite.start(join(directory, name), leaseMs);
  };
  const passed = [];
  if (options.sessions > 0) passed.push(await load(await start('load'), options));
  if (options.erase > 0) passed.push(await erase(await start('erase'), options));
  return !passed.includes(false);
}

async function load(site: IndexedSite, options: IndexOptions): Promise<boolean> {
  const { sessions, owners, kills } = options;
  const size = { sessions, owners, kills, atOnce: options['at-once'] };
  const { turns, lags, differences, seconds } = await runLoad(site, size, SETTLE_MS);
  await site.stop();
  const most = kills === 0 ? MAX_LAG_MS : 2 * options['lease-ms'];
  const p99 = computeQuantile(lags, 0.99);
  const isGood = differences.length === 0 && p99 <= most && lags.length === turns;
  console.log(
    `index: ${sessions} sessions of ${owners} owners, ${turns} turns in ${seconds.toFixed(0)} s, ${size.atOnce} at once, ${site.kills} kills\n` +
      `index: lag of the ${lags.length} that were shown: median ${computeQuantile(lags, 0.5)} ms, p95 ${computeQuantile(lags, 0.95)} ms, p99 ${p99} ms ` +
      `(at most ${most} ms), slowest ${computeQuantile(lags, 1)} ms\n` +
      `index: ${differences.length} differences from the journals; ${isGood ? 'PASS' : 'FAIL'}`,
  );
  for (const one of differences.slice(0, 20)) console.log(`  ${one}`);
  return isGood;
}

async function erase(site: IndexedSite, options: IndexOptions): Promise<boolean> {
  const size = { sessions: options.erase, kills: options['erase-kills'], atOnce: options['at-once'] };
  const { removed, left, filesBefore, seconds } = await runErasure(site, size, SETTLE_MS);
  await site.stop();
  const isGood = JSON.stringify(left) === JSON.stringify(NOTHING_LEFT);
  console.log(
    `erasure: ${size.sessions} sessions with files (${filesBefore} listed before) under ${site.kills} kills: ${removed} removed in ` +
      `${seconds.toFixed(0)} s, left: ${JSON.stringify(left)}; ${isGood ? 'PASS' : 'FAIL'}`,
  );
  return isGood;
}

await runCommand({ usage: USAGE, readOptions, run });
