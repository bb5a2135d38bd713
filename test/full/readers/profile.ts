/** How long the code of a function of a Worker ran, as the profiler of its engine samples it. */
import { openInspector } from '../../bench/inspector.ts';

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Before each sample, in microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface Profiler {
  start(): Promise<void>;
  /** Answers how long the function of this name, and what it called, ran since the start, in ms. */
  stop(name: string): Promise<number>;
  close(): void;
}

/** How often it looks, in microseconds. */
const INTERVAL = 200;

/** @throws Error when the inspector does not know the Worker. */
export async function profilerOf(worker: string, inspector: URL): Promise<Profiler> {
  const { ask, close } = await openInspector(worker, inspector);
  return {
    async start() {
      await ask('Profiler.enable');
      await ask('Profiler.setSamplingInterval', { interval: INTERVAL });
      await ask('Profiler.start');
    },
    async stop(name) {
      const { profile } = (await ask('Profiler.stop')) as { profile: Profile }; // as the protocol has it
      return timeIn(profile, name);
    },
    close,
  };
}

function timeIn({ nodes, samples, timeDeltas }: Profile, name: string): number {
  const inside = new Set<number>();
  // Whoever called stands before what was called.
  for (const { id, callFrame, children = [] } of nodes) {
    if (callFrame.functionName === name) inside.add(id);
    if (inside.has(id)) for (const child of children) inside.add(child);
  }
  // Nobody looks while nothing runs: a long pause before a sample was idle.
  const ranFor = (i: number): number => Math.min(timeDeltas[i] ?? 0, 2 * INTERVAL);
  const micros = samples.reduce((sum, id, i) => sum + (inside.has(id) ? ranFor(i) : 0), 0);
  return micros / 1_000;
}
