import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKillable } from '../process/killable-worker.ts';
import { type BuildOptions, startWorker, type WorkerSettings } from '../process/start-worker.ts';
import { openVisit, type Visit } from './visit.ts';
import { openWorld, type World } from './world.ts';

/** A storage on which builds of a Worker run one after another. */
export interface Site {
  readonly world: World;
  /** The folder of the storage. */
  readonly storage: string;
  /** Ends the running build in the middle of its work, and starts this build. */
  deploy(build: BuildOptions): Promise<void>;
  /** Ends the running build. */
  kill(): Promise<void>;
  /** Opens a session of an agent. Each request goes to the build that is running at that time. */
  visit(agent: string, session?: string): Visit;
  /** Returns the console output of the running build. Empty if the build is `killed`. */
  logs(): readonly string[];
  close(): Promise<void>;
}

/** The lease is short, so that a turn is taken over soon, but longer than a build takes to start. */
const LEASE_MS = 1_500;

/**
 * How a build ends: only its workerd process stops, or its parent process is also killed, as in a power cut.
 */
export type End = 'stopped' | 'killed';

/** A running build. */
interface RunningBuild {
  readonly url: URL;
  readonly logs: readonly string[];
  end(): Promise<void>;
}

const START: Readonly<Record<End, (entry: string, settings: WorkerSettings) => Promise<RunningBuild>>> = {
  stopped: async (entry, settings) => {
    const { url, logs, stop } = await startWorker(entry, settings);
    return { url, logs, end: stop };
  },
  killed: async (entry, settings) => {
    const { url, kill } = await startKillable(entry, settings);
    return { url: new URL(url), logs: [], end: kill };
  },
};

/** Creates a site for the Worker in `entry`, before its first deployment. */
export async function openSite(entry: string, end: End = 'stopped'): Promise<Site> {
  const storage = await mkdtemp(join(tmpdir(), 'holdfast-deploys-'));
  const world = await openWorld();
  let running: RunningBuild | undefined;
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
        if (!running) throw new Error('No build is running. Call deploy() first.');
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
