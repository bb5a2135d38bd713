/** A measured Worker in a separate process, and its requests. */
import { startWorker } from '../full/process/start-worker.ts';
import { listWorkerdPids, readMemory, readWorkerdCpu } from './workerd-cpu.ts';
import type { Counts } from './workers/counts.ts';

/** A request to a measured Worker. See `Asked` for the defaults. */
export type Query = Readonly<Record<string, string | number>>;

/** A running measured Worker. */
export interface MeasuredWorker {
  readonly url: URL;
  /** Sends a request and resolves with the response text. @throws Error if the status is not a success. */
  ask(path: string, query?: Query): Promise<string>;
  /** Returns the counts since the previous call. Needs a build with counting. */
  counts(): Promise<Counts>;
  /** The CPU seconds of its process. */
  cpu(): number;
  /** The current memory of its process in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

/**
 * Starts a bundled Worker. Must not be called concurrently, because the new process is identified by comparing
 * process lists.
 */
export async function startMeasured(bundle: string): Promise<MeasuredWorker> {
  const before = listWorkerdPids();
  const worker = await startWorker(bundle, { bundle });
  const pid = listWorkerdPids().find((one) => !before.includes(one)) ?? '';
  const ask = async (path: string, query: Query = {}): Promise<string> => {
    const asked = new URL(path, worker.url);
    for (const [key, value] of Object.entries(query)) asked.searchParams.set(key, String(value));
    const response = await fetch(asked);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`);
    return text;
  };
  return {
    url: worker.url,
    ask,
    counts: async () => JSON.parse(await ask('/counts')) as Counts, // the response of the Worker's /counts route
    cpu: () => readWorkerdCpu(pid),
    memory: () => readMemory(pid, 'VmRSS'),
    stop: () => worker.stop(),
  };
}
