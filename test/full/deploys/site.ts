import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKillable } from '../process/killable-worker.ts';
import { type Build, startWorker, type WorkerSettings } from '../process/start-worker.ts';
import { openVisit, type Visit } from './visit.ts';
import { openWorld, type World } from './world.ts';

/** One storage, on which builds of a Worker run one after another. */
export interface Site {
  readonly world: World;
  /** The folder of its storage. */
  readonly storage: string;
  /** Ends the build that runs, in the middle of whatever it does, and starts this one in its place. */
  deploy(build: Build): Promise<void>;
  /** Ends what runs. */
  kill(): Promise<void>;
  /** A session of an agent, at the build that runs when it is used. */
  visit(agent: string, session?: string): Visit;
  /** What the build that runs wrote to its console; nothing of one that is `killed`. */
  logs(): readonly string[];
  close(): Promise<void>;
}

/** Short, so that a turn is soon taken over; long enough for a build to start in. */
const LEASE_MS = 1_500;

/** How a build is ended: its workerd alone, or with it the process that had started it, as by a power cut. */
export type End = 'stopped' | 'killed';

/** A build that runs. */
interface Running {
  readonly url: URL;
  readonly logs: readonly string[];
  end(): Promise<void>;
}

const START: Readonly<Record<End, (entry: string, settings: WorkerSettings) => Promise<Running>>> = {
  stopped: async (entry, settings) => {
    const { url, logs, stop } = await startWorker(entry, settings);
    return { url, logs, end: stop };
  },
  killed: async (entry, settings) => {
    const { url, kill } = await startKillable(entry, settings);
    return { url: new URL(url), logs: [], end: kill };
  },
};

/** A site of the Worker that `entry` is, before its first deployment. */
export async function openSite(entry: string, end: End = 'stopped'): Promise<Site> {
  const storage = await mkdtemp(join(tmpdir(), 'holdfast-deploys-'));
  const world = await openWorld();
  let running: Running | undefined;
  const vars = { WORLD_URL: world.url, LEASE_MS: String(LEASE_MS) };
  const kill = async (): Promise<void> => {
    await running?.end();
    running = undefined;
  };
  return {
    world,
    storage,
    kill,
    deploy: async (build) => {
      await kill();
      running = await START[end](`test/fixtures/deployed/${entry}`, { vars, storage, build });
    },
    visit: (agent, session = 's') =>
      openVisit(() => {
        if (!running) throw new Error('No build runs.');
        return new URL(`/agents/${agent}/sessions/${session}`, running.url).href;
      }),
    logs: () => running?.logs ?? [],
    close: async () => {
      await kill();
      await world.stop();
      await rm(storage, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
