/** A small run of `npm run index`. The index must agree with the journals. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { IndexedSite } from './indexed-site.ts';
import { NOTHING_LEFT, runErasure, runLoad } from './run-play.ts';

/**
 * The timeout of the comparison in ms. It exceeds a minute, after which a report without an acknowledgement is
 * sent again.
 */
const SETTLE_MS = 150_000;

async function startSite(leaseMs: number): Promise<IndexedSite> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-index-'));
  const started = await IndexedSite.start(directory, leaseMs);
  onTestFinished(async () => {
    await started.stop();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  return started;
}

it('after a kill, the index and its copy in D1 agree with the journal of every session', {
  timeout: 400_000,
}, async () => {
  const load = await runLoad(
    await startSite(2_000),
    { sessions: 24, owners: 3, atOnce: 8, kills: 1 },
    SETTLE_MS,
  );
  expect(load.differences).toEqual([]);
  expect(load.lags).toHaveLength(load.turns);
  expect(load.turns).toBeGreaterThanOrEqual(24);
});

it('an erasure that a kill interrupts removes all rows of its owner and is reported as done', {
  timeout: 600_000,
}, async () => {
  const erasure = await runErasure(await startSite(1_000), { sessions: 12, atOnce: 6, kills: 1 }, SETTLE_MS);
  expect(erasure.filesBefore).toBe(12);
  expect(erasure.removed).toBe(12);
  expect(erasure.left).toEqual(NOTHING_LEFT);
});
