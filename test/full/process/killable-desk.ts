/** A killable Worker and an effect counter for tests over MCP. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type CountedEffects, countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

/** A Worker for all tests of a file, which can be killed and restarted on the same storage. */
export interface KillableDesk {
  /** The running Worker. */
  readonly worker: KillableWorker;
  readonly effects: CountedEffects;
  start(): Promise<void>;
}

export function createKillableDesk(): KillableDesk {
  let directory: string;
  let effects: CountedEffects;
  let worker: KillableWorker;
  const start = async (): Promise<void> => {
    worker = await startKillable('test/full/mcp/task-worker.ts', {
      storage: join(directory, 'storage'),
      vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url },
    });
  };
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'holdfast-mcp-kills-'));
    effects = await countEffects(join(directory, 'effects.jsonl'));
    await start();
  });
  afterAll(async () => {
    await worker.kill();
    effects.stop();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    get worker() {
      return worker;
    },
    get effects() {
      return effects;
    },
    start,
  };
}
