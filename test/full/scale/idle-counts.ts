/** What readers who wait make the objects of their sessions do. */
import { setTimeout as wait } from 'node:timers/promises';
import type { MeasuredWorker } from '../../bench/measured-worker.ts';

/** By how much the clock of the Worker runs faster. */
export const SPEED = 10;

/** How long they wait, by that clock, in ms. */
const WAITS = 60_000;

/** Longer than a lease, after which the alarm of a turn has come. */
const SETTLED = 45_000;

export interface IdleCounts {
  readonly messages: number;
  readonly requests: number;
  readonly rowsWritten: number;
}

/** Returns what all objects do in a minute of the Worker, which counts itself, while no one sends anything. */
export async function idleCounts(worker: MeasuredWorker): Promise<IdleCounts> {
  await wait(SETTLED / SPEED);
  await worker.counts();
  await wait(WAITS / SPEED);
  const objects = Object.values((await worker.counts()).objects);
  const sum = (key: keyof IdleCounts): number => objects.reduce((all, one) => all + one[key], 0);
  return { messages: sum('messages'), requests: sum('requests'), rowsWritten: sum('rowsWritten') };
}
