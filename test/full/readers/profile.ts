/** Measures the run time of a Worker's function with V8's sampling profiler. */
import { openInspector } from '../../bench/inspector.ts';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** The times between samples, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface Profiler {
  start(): Promise<void>;
  /** Returns the run time of this function and its callees since the start, in ms. */
  stop(name: string): Promise<number>;
  close(): void;
}

/** The sampling interval, in microseconds. */
const SAMPLING_INTERVAL_US = 200;

/** @throws Error if the inspector does not list the Worker. */
export async function connectProfiler(worker: string, inspector: URL): Promise<Profiler> {
  const { ask, close } = await openInspector(worker, inspector);
  return {
    async start() {
      await ask('Profiler.enable');
      await ask('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL_US });
      await ask('Profiler.start');
    },
    async stop(name) {
      const { profile } = (await ask('Profiler.stop')) as { profile: Profile }; // the format of the inspector protocol
      return sumTimeIn(profile, name);
    },
    close,
  };
}

function sumTimeIn({ nodes, samples, timeDeltas }: Profile, name: string): number {
  const inside = new Set<number>();
  // Callers precede their callees.
  for (const { id, callFrame, children = [] } of nodes) {
    if (callFrame.functionName === name) inside.add(id);
    if (inside.has(id)) for (const child of children) inside.add(child);
  }
  // The profiler takes no samples while the code is idle, so a long pause before a sample does not count.
  const computeSampleTime = (i: number): number => Math.min(timeDeltas[i] ?? 0, 2 * SAMPLING_INTERVAL_US);
  const micros = samples.reduce((sum, id, i) => sum + (inside.has(id) ? computeSampleTime(i) : 0), 0);
  return micros / 1_000;
}
