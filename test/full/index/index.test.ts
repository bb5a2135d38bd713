/** A small run of `npm run index`. Everything it compares must agree. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IndexedSite } from './indexed-site.ts';
import { NOTHING_LEFT, runErasure, runLoad } from './run-play.ts';

/** The timeout of the comparison, in ms. A row that was not acknowledged is sent again after a minute. */
const SETTLES = 150_000;

async function site(leaseMs: number): Promise<IndexedSite> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-index-'));
  const started = await IndexedSite.start(directory, leaseMs);
  onTestFinished(async () => {
    await started.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  return started;
}

it('the index shows every session as its journal has it, in lists and in D1, after a kill', {
  timeout: 400_000,
}, async () => {
  const load = await runLoad(await site(2_000), { sessions: 24, owners: 3, atOnce: 8, kills: 1 }, SETTLES);
  expect(load.differences).toEqual([]);
  expect(load.lags).toHaveLength(load.turns);
  expect(load.turns).toBeGreaterThanOrEqual(24);
});

it('the index has no row of an owner whose erasure was interrupted by a kill, and the erasure is reported', {
  timeout: 600_000,
}, async () => {
  const erasure = await runErasure(await site(1_000), { sessions: 12, atOnce: 6, kills: 1 }, SETTLES);
  expect(erasure.filesBefore).toBe(12);
  expect(erasure.removed).toBe(12);
  expect(erasure.left).toEqual(NOTHING_LEFT);
});
