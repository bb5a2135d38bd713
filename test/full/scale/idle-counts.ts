/** Counts the work of sessions' objects while clients wait on their streams. */
import { setTimeout as wait } from 'node:timers/promises';
import type { MeasuredWorker } from '../../bench/measured-worker.ts';

/** The factor by which the Worker's clock is faster. */
export const CLOCK_SPEED = 10;

/** The duration of the wait by the Worker's clock, in ms. */
const WAIT_MS = 60_000;

/** The time after which the alarm of a turn has run, in ms. It is longer than a lease. */
const SETTLE_MS = 45_000;

export interface IdleCounts {
  readonly messages: number;
  readonly requests: number;
  readonly rowsWritten: number;
}

/** Returns the work of all objects in a minute of the Worker's clock while no message is sent. */
export async function measureIdleCounts(worker: MeasuredWorker): Promise<IdleCounts> {
  await wait(SETTLE_MS / CLOCK_SPEED);
  await worker.counts();
  await wait(WAIT_MS / CLOCK_SPEED);
  const objects = Object.values((await worker.counts()).objects);
  const sum = (key: keyof IdleCounts): number => objects.reduce((all, one) => all + one[key], 0);
  return { messages: sum('messages'), requests: sum('requests'), rowsWritten: sum('rowsWritten') };
}
