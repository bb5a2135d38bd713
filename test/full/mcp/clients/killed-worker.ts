import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CountedEffects, countEffects } from '../../../../src/examples/demo/counted-effects.ts';
import { type KillableWorker, startKillable } from '../../process/killable-worker.ts';

/** The built Worker, which a test kills and restarts. A separate process counts the effects of its shop. */
export interface KilledWorker {
  readonly effects: CountedEffects;
  /**
   * Sends a request to the running Worker, and waits for its start if necessary. Each Worker has a different
   * port behind the same host name.
   */
  readonly fetch: typeof fetch;
  /** Returns the effects of a service, including repeats. */
  done(service: string): readonly unknown[];
  /** Kills the Worker with SIGKILL, runs `meanwhile`, and restarts the Worker on the same storage. */
  restart(meanwhile?: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** The URL of the Worker for clients. */
export const MCP_URL = new URL('http://worker.test/mcp');

/** Starts a Worker that a test can kill. */
export async function startKilled(): Promise<KilledWorker> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-mcp-kill-'));
  const effects = await countEffects(join(directory, 'effects.jsonl'));
  const start = (): Promise<KillableWorker> =>
    startKillable('test/fixtures/mcp/published-worker.ts', {
      storage: join(directory, 'storage'),
      vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url },
    });
  let worker = start();
  await worker;
  return {
    effects,
    fetch: async (url, init) => fetch(String(url).replace(MCP_URL.origin, (await worker).url), init),
    done: (service) =>
      effects
        .executions()
        .filter((one) => one.service === service)
        .map(({ what }) => JSON.parse(what)),
    async restart(meanwhile) {
      const killed = (await worker).kill();
      worker = killed.then(meanwhile).then(start);
      await worker;
    },
    async stop() {
      await (await worker).kill();
      effects.stop();
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
