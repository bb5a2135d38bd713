/** A measured Worker in a process of its own, and what is asked of it. */
import { startWorker } from '../full/process/start-worker.ts';
import { memoryOf, workerdCpu, workerdPids } from './workerd-cpu.ts';
import type { Counts } from './workers/counts.ts';

/** What a request asks of a measured Worker; see `Asked` for the defaults. */
export type Query = Readonly<Record<string, string | number>>;

/** A measured Worker that runs. */
export interface MeasuredWorker {
  readonly url: URL;
  /** Asks it, and resolves with the text of its answer. @throws Error if that is no success. */
  ask(path: string, query?: Query): Promise<string>;
  /** Returns what it counted since it was last asked; it must be built so. */
  counts(): Promise<Counts>;
  /** CPU seconds that its process has used. */
  cpu(): number;
  /** Bytes of memory that its process has now. */
  memory(): number;
  stop(): Promise<void>;
}

/** Starts a bundle. One at a time: the process is found as the one that was not there before. */
export async function startMeasured(bundle: string): Promise<MeasuredWorker> {
  const before = workerdPids();
  const worker = await startWorker(bundle, { bundle });
  const pid = workerdPids().find((one) => !before.includes(one)) ?? '';
  const ask = async (path: string, query: Query = {}): Promise<string> => {
    const asked = new URL(path, worker.url);
    for (const [key, value] of Object.entries(query)) asked.searchParams.set(key, String(value));
    const response = await fetch(asked);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  };
  return {
    url: worker.url,
    ask,
    counts: async () => JSON.parse(await ask('/counts')) as Counts, // as the Worker writes it
    cpu: () => workerdCpu(pid),
    memory: () => memoryOf(pid, 'VmRSS'),
    stop: () => worker.stop(),
  };
}
