import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CountedEffects, countEffects } from '../../../../src/examples/demo/counted-effects.ts';
import { type KillableWorker, startKillable } from '../../process/killable-worker.ts';

/** The published Worker, which a test kills and starts again, with a shop whose effects are counted by another process. */
export interface KilledWorker {
  readonly effects: CountedEffects;
  /** Reaches whichever Worker runs, as soon as one does: each has another port, behind the same name. */
  readonly fetch: typeof fetch;
  /** What was done for a service, each time that it was. */
  done(service: string): readonly unknown[];
  /** SIGKILL, while `meanwhile` happens; then it is started again, with the same storage. */
  restart(meanwhile?: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Where clients believe the Worker to be. */
export const MCP_URL = new URL('http://worker.test/mcp');

/** Starts it. */
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
