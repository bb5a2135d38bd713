/**
 * The measured figures of a Worker. Samples are taken in rounds that alternate with those of the other
 * Workers.
 */

import { type MeasuredWorker, startMeasured } from './measured-worker.ts';
import type { BenchOptions } from './options.ts';

/** A measured library with its Workers. */
export interface Contestant {
  readonly name: string;
  /** `true` if its sessions are stored. The AI SDK has no sessions. */
  readonly isStored: boolean;
  readonly worker: MeasuredWorker;
  /** The path of the bundle of its Worker with one tool. */
  readonly oneTool: string;
}

/** The options of a sample. */
export interface Sampling extends Pick<BenchOptions, 'loops' | 'turns' | 'starts'> {
  readonly round: number;
}

export interface Figure {
  readonly name: string;
  /** The goal, as a ratio to the AI SDK or in words. */
  readonly goal?: string;
  /** `true` if a higher figure is better. */
  readonly isRate?: true;
  /** `true` if only contestants with stored sessions have this figure. */
  readonly isOfSessions?: true;
  /** `true` if the options disable this figure. */
  isLeftOut?(sampling: Omit<Sampling, 'round'>): boolean;
  sample(contestant: Contestant, sampling: Sampling): Promise<number>;
}

const CONCURRENCY = 32;

interface Loops extends Pick<Sampling, 'loops' | 'round'> {
  readonly agent: 'read' | 'once';
  readonly atOnce: number;
  readonly ms?: number;
  readonly tools?: number;
}

/** Runs loops of ten calls in sessions with an earlier turn. Returns the wall and CPU seconds per loop. */
async function runLoops(
  { worker, isStored }: Contestant,
  asked: Loops,
): Promise<{ wall: number; cpu: number }> {
  const { loops: count, round, agent, atOnce, ms = 0, tools = 10 } = asked;
  const query = { agent, count, tools, session: `${agent}-${tools}-${atOnce}-${ms}-${round}-` };
  if (isStored) await worker.ask('/loops', { ...query, atOnce: 8 });
  const began = { at: performance.now(), cpu: worker.cpu() };
  await worker.ask('/loops', { ...query, atOnce, message: `calls=10 ms=${ms}` });
  return { wall: (performance.now() - began.at) / 1_000 / count, cpu: (worker.cpu() - began.cpu) / count };
}

/** The number of measured turns in a long session. */
const MORE_TURNS = 10;

const workersWithLongSession = new WeakSet<MeasuredWorker>();

/**
 * Returns the CPU time in ms of one more turn in a session with this many turns. The earlier turns run before
 * the first sample.
 */
async function measureExtraTurn({ worker }: Contestant, { turns }: Sampling): Promise<number> {
  const session = 'long';
  if (!workersWithLongSession.has(worker)) await worker.ask('/turns', { session, count: turns });
  workersWithLongSession.add(worker);
  await worker.ask('/turns', { session });
  const before = worker.cpu();
  await worker.ask('/turns', { session, count: MORE_TURNS });
  return ((worker.cpu() - before) / MORE_TURNS) * 1_000;
}

/** Returns the average CPU milliseconds from the start of the process to the first response. */
export async function startUp(bundle: string, starts: number): Promise<number> {
  let cpu = 0;
  for (let start = 0; start < starts; start += 1) {
    const worker = await startMeasured(bundle);
    await worker.ask('/');
    cpu += worker.cpu();
    await worker.stop();
  }
  return (cpu / starts) * 1_000;
}

const DEFINE_COUNT = 2_000;

async function define({ worker }: Contestant): Promise<number> {
  const began = performance.now();
  await worker.ask('/define', { count: DEFINE_COUNT });
  return ((performance.now() - began) / DEFINE_COUNT) * 1_000;
}

async function measureWrites({ worker }: Contestant, agent: string, { round }: Sampling): Promise<number> {
  const session = `written-${agent}-${round}`;
  await worker.ask('/turns', { agent, session, message: 'calls=10' });
  const { events } = JSON.parse(await worker.ask(`/agents/${agent}/sessions/${session}/events`)) as {
    events: unknown[]; // the response of the events route
  };
  return events.reduce<number>((sum, event) => sum + JSON.stringify(event).length, 0) / 1_024;
}

/** The figures of `npm run bench` that are measured in rounds. */
export const FIGURES: readonly Figure[] = [
  {
    name: 'ten `read` calls: ms a loop',
    goal: 'at most 1.0',
    sample: async (of, sampling) =>
      (await runLoops(of, { ...sampling, agent: 'read', atOnce: 1 })).wall * 1_000,
  },
  {
    name: 'ten `once` calls: ms a loop',
    isOfSessions: true,
    sample: async (of, sampling) =>
      (await runLoops(of, { ...sampling, agent: 'once', atOnce: 1 })).wall * 1_000,
  },
  {
    name: `ten \`read\` calls, ${CONCURRENCY} at once: loops a second`,
    goal: 'at least 1.2',
    isRate: true,
    sample: async (of, sampling) =>
      1 / (await runLoops(of, { ...sampling, agent: 'read', atOnce: CONCURRENCY })).wall,
  },
  {
    name: `ten \`read\` calls, ${CONCURRENCY} at once: CPU s of 1,000 loops`,
    goal: 'at most 0.75',
    sample: async (of, sampling) =>
      (await runLoops(of, { ...sampling, agent: 'read', atOnce: CONCURRENCY, tools: 11 })).cpu * 1_000,
  },
  {
    name: 'the same with a model of 20 ms: CPU ms a loop',
    goal: 'at most 1.3',
    sample: async (of, sampling) =>
      (await runLoops(of, { ...sampling, agent: 'read', atOnce: CONCURRENCY, ms: 20 })).cpu * 1_000,
  },
  {
    name: 'ten `read` calls, 1,000 tools offered: ms a loop',
    sample: async (of, { loops, ...sampling }) =>
      (
        await runLoops(of, {
          ...sampling,
          loops: Math.ceil(loops / 10),
          agent: 'read',
          atOnce: 1,
          tools: 1_000,
        })
      ).wall * 1_000,
  },
  { name: 'a definition of a tool with three fields: µs', sample: define },
  {
    name: 'start with one tool: CPU ms over an empty Worker',
    isLeftOut: ({ starts }) => starts === 0,
    sample: ({ oneTool }, { starts }) => startUp(oneTool, starts),
  },
  {
    name: 'one more turn in a long session: CPU ms',
    goal: 'at most 30 ms',
    isOfSessions: true,
    isLeftOut: ({ turns }) => turns === 0,
    sample: measureExtraTurn,
  },
  {
    name: 'a session with ten `read` calls: KiB written',
    isOfSessions: true,
    sample: (of, sampling) => measureWrites(of, 'read', sampling),
  },
  {
    name: 'a session with ten `once` calls: KiB written',
    isOfSessions: true,
    sample: (of, sampling) => measureWrites(of, 'once', sampling),
  },
];
