/**
 * `npm run scale` measures from outside the cost of many concurrent sessions, many waiting readers and one
 * long session in a Worker's process. Also counts the work of the objects while readers wait. Memory is the
 * memory of the process, including garbage.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  bundleMeasured,
  currentCheckout,
  type MeasuredName,
  type MeterOptions,
} from '../../bench/checkout.ts';
import { type MeasuredWorker, startMeasured } from '../../bench/measured-worker.ts';
import { asTable, formatNumber } from '../../bench/statistics.ts';
import { CLOCK_SPEED, measureIdleCounts } from './idle-counts.ts';
import { openBareObjects, openNewSessions, openReaders } from './loads.ts';

const { values } = parseArgs({
  options: {
    sessions: { type: 'string', default: '1000' },
    readers: { type: 'string', default: '10000' },
    turns: { type: 'string', default: '5000' },
    idle: { type: 'string', default: '60' },
  },
});
const [sessions, readers, turns, idleSeconds] = [
  values.sessions,
  values.readers,
  values.turns,
  values.idle,
].map(Number) as [number, number, number, number]; // one number for each option

/** The number of sessions that run before the first measurement, so that it does not include one-time costs. */
const WARM_SESSIONS = 50;
/** The number of measured turns in a long session. */
const EXTRA_TURNS = 20;
/** The number of readers whose objects are counted. */
const READER_COUNT = 200;

const KIB = 1_024;
const rows: string[][] = [['what', 'is', 'goal']];
const outputFolder = mkdtempSync(join(tmpdir(), 'holdfast-scale-'));

function report(what: string, is: string, goal = ''): void {
  rows.push([what, is, goal]);
  process.stderr.write(`  ${what}: ${is}\n`);
}

async function withWorker(
  { name = 'holdfast', ...built }: MeterOptions & { readonly name?: MeasuredName },
  work: (worker: MeasuredWorker) => Promise<void>,
): Promise<void> {
  const worker = await startMeasured(
    await bundleMeasured(name, { ...currentCheckout, ...built, into: outputFolder }),
  );
  await work(worker).finally(() => worker.stop());
}

async function measureSessions(worker: MeasuredWorker): Promise<void> {
  await openNewSessions(worker, WARM_SESSIONS, 'warm');
  const began = performance.now();
  const { before, most, after } = await openNewSessions(worker, sessions);
  const formatShare = (bytes: number): string => `${formatNumber((bytes - before) / sessions / KIB)} KiB`;
  report(`${sessions} new sessions at once, all open: memory each`, formatShare(most), 'at most 150 KiB');
  report('the same when all have been answered', formatShare(after));
  report(
    'the same: time from the first request to the last answer',
    `${formatNumber(performance.now() - began)} ms`,
  );
}

async function measureBareObjects(worker: MeasuredWorker): Promise<void> {
  await openBareObjects(worker, WARM_SESSIONS, 'warm');
  const { before, most } = await openBareObjects(worker, sessions);
  report(
    `${sessions} objects with one row, at once: memory each`,
    `${formatNumber((most - before) / sessions / KIB)} KiB`,
  );
}

async function measureReaders(worker: MeasuredWorker): Promise<void> {
  await openNewSessions(worker, WARM_SESSIONS, 'warm');
  const opened = await openReaders(worker, readers);
  const { before, after } = opened.memory;
  report(`${readers} readers: memory each`, `${formatNumber((after - before) / readers / KIB)} KiB`);
  await wait(5_000);
  const cpu = worker.cpu();
  await wait(idleSeconds * 1_000);
  const idle = ((worker.cpu() - cpu) / idleSeconds / readers) * 1e6;
  report(`${readers} readers who wait: CPU of one in a second`, `${formatNumber(idle)} µs`);
  opened.leave();
}

async function measureTurns(worker: MeasuredWorker): Promise<void> {
  await worker.ask('/turns', { session: 'long', count: turns });
  await worker.ask('/turns', { session: 'long' });
  const cpu = worker.cpu();
  await worker.ask('/turns', { session: 'long', count: EXTRA_TURNS });
  const each = ((worker.cpu() - cpu) / EXTRA_TURNS) * 1_000;
  report(`one more turn after ${turns}: CPU`, `${formatNumber(each)} ms`, 'at most 30 ms');
}

async function countReaders(worker: MeasuredWorker): Promise<void> {
  const opened = await openReaders(worker, READER_COUNT);
  const { messages, requests, rowsWritten } = await measureIdleCounts(worker);
  opened.leave();
  const done = `${messages}, ${requests}, ${rowsWritten}`;
  report(`${READER_COUNT} readers who wait, in a minute: messages, requests, rows written`, done, '0, 0, 0');
}

try {
  if (sessions > 0) await withWorker({ name: 'bare-object' }, measureBareObjects);
  if (sessions > 0) await withWorker({}, measureSessions);
  if (readers > 0) await withWorker({}, measureReaders);
  if (readers > 0) await withWorker({ isCounted: true, speed: CLOCK_SPEED }, countReaders);
  if (turns > 0) await withWorker({}, measureTurns);
  process.stdout.write(`${asTable(rows)}\n`);
} finally {
  rmSync(outputFolder, { recursive: true, force: true });
}
