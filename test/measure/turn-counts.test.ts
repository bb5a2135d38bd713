/** The platform usage of a turn, and the page about cost. The numbers are in test/bench/cost/counts.json. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleMeasured, currentCheckout } from '../bench/checkout.ts';
import { formatCostPage } from '../bench/cost/cost-page.ts';
import { findExceedingCounts, readKept } from '../bench/cost/kept-counts.ts';
import { countTurn, SHAPE_NAMES } from '../bench/count-turns.ts';
import { type MeasuredWorker, startMeasured } from '../bench/measured-worker.ts';

const kept = readKept();

describe('the platform usage of a turn', () => {
  let worker: MeasuredWorker;
  let into: string;

  beforeAll(async () => {
    into = mkdtempSync(join(tmpdir(), 'holdfast-counts-'));
    worker = await startMeasured(
      await bundleMeasured('holdfast', { ...currentCheckout, into, isCounted: true }),
    );
  });

  afterAll(async () => {
    await worker.stop();
    rmSync(into, { recursive: true, force: true });
  });

  // On a busy machine, a long turn can renew its lease, so the count is retried.
  it.each(SHAPE_NAMES)('does not exceed the stored counts: %s', { retry: 2 }, async (shape) => {
    const counted = await countTurn(worker, shape);
    expect(counted.object.requests).toBeGreaterThan(1);
    expect(findExceedingCounts(kept, shape, counted)).toEqual([]);
  });
});

it('a turn that exceeds its stored counts is reported with each exceeded count', () => {
  const one = { appends: 99, requests: 0, rowsRead: 0, rowsWritten: 0, alarmsSet: 0, messages: 0 };
  expect(findExceedingCounts(kept, 'text only', { object: one, apis: { digest: 1 } })).toEqual([
    'appends: 99 is over 1',
    'digest: 1 is over 0',
  ]);
});

it('the page on cost equals the output of `npm run cost` for the stored counts', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/cost.md'), 'utf8');
  expect(page).toBe(formatCostPage(kept));
});
