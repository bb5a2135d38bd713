/** A small run of `npm run scale`. Asserts only counts, because times and memory depend on the machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleMeasured, currentCheckout } from '../../bench/checkout.ts';
import { readKept } from '../../bench/cost/kept-counts.ts';
import type { Shape } from '../../bench/count-turns.ts';
import { type MeasuredWorker, startMeasured } from '../../bench/measured-worker.ts';
import { CLOCK_SPEED, measureIdleCounts } from './idle-counts.ts';
import { openNewSessions, openReaders, send } from './loads.ts';

async function startCounted(speed?: number): Promise<MeasuredWorker> {
  const into = mkdtempSync(join(tmpdir(), 'holdfast-scale-'));
  const worker = await startMeasured(
    await bundleMeasured('holdfast', { ...currentCheckout, into, isCounted: true, speed }),
  );
  onTestFinished(async () => {
    await worker.stop();
    rmSync(into, { recursive: true, force: true });
  });
  return worker;
}

/** Returns the stored counts of a turn whose model takes this long. */
function getKeptCounts(shape: Shape, seconds: number) {
  const turn = readKept().turns.find((one) => one.shape === shape && one.seconds === seconds);
  if (!turn) throw new Error(`counts.json has no turn '${shape}' whose model takes ${seconds} s.`);
  return turn.counts;
}

// On a busy machine, leases are renewed early and connections break, so the count is retried.
const options = { retry: 2, timeout: 120_000 };

it('50 new sessions at once cost each of their objects as much as a single session', options, async () => {
  const worker = await startCounted();
  await openNewSessions(worker, 50);
  const objects = Object.values((await worker.counts()).objects);
  expect(objects).toHaveLength(50);
  const most = getKeptCounts('first message', 30);
  expect(objects.filter(({ rowsWritten }) => rowsWritten > most.rowsWritten)).toEqual([]);
  expect(objects.filter(({ requests }) => requests > most.requests)).toEqual([]);
});

it('200 waiting readers cost their objects no work, and receive the next event', options, async () => {
  const worker = await startCounted(CLOCK_SPEED);
  const { places, seen, leave } = await openReaders(worker, 200);
  onTestFinished(leave);
  expect(await measureIdleCounts(worker)).toEqual({ messages: 0, requests: 0, rowsWritten: 0 });
  const before = seen();
  await Promise.all(places.map((place) => send(worker, place, 'hello')));
  const ofOneTurn = 3; // the start, the model reply, and the end of the turn
  await expect.poll(seen).toEqual(before.map((events) => events + ofOneTurn));
});

it('a turn after 300 others costs as much as an early turn', options, async () => {
  const worker = await startCounted();
  await worker.ask('/turns', { session: 'long', count: 300 });
  await worker.counts();
  await worker.ask('/turns', { session: 'long' });
  const [object] = Object.values((await worker.counts()).objects);
  const { rowsWritten, requests } = getKeptCounts('text only', 0);
  expect(object).toMatchObject({ rowsWritten, requests });
  // A turn reads only the events after the last snapshot. A snapshot is stored every 200 events.
  expect(object?.rowsRead).toBeLessThan(300);
});
