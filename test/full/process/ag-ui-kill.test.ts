/** A Worker that speaks AG-UI is killed while a call runs: its client takes the thread up again, and what was done was done once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpAgent } from '@ag-ui/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSession } from '../../../src/examples/demo/client.ts';
import { type CountedEffects, countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { within } from '../../../src/examples/demo/ports.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let directory: string;
let effects: CountedEffects;
let worker: KillableWorker;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-ag-ui-'));
  effects = await countEffects(join(directory, 'effects.jsonl'));
});
afterAll(async () => {
  await worker.kill();
  effects.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<void> {
  worker = await startKillable('test/fixtures/ag-ui-worker.ts', {
    storage: join(directory, 'storage'),
    vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url },
  });
}

const client = () =>
  new HttpAgent({ url: `${worker.url}/agents/refunds/ag-ui`, threadId: 'killed', fetch: endingFetch });

/** A body that breaks off just ends: the client cancels a broken one, and leaves what that rejects with to nobody. */
async function endingFetch(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  async function* untilBroken() {
    try {
      yield* response.body ?? [];
    } catch {
      // The Worker was killed.
    }
  }
  return new Response(ReadableStream.from(untilBroken()), response);
}

it('ends with what the journal says', async () => {
  await start();
  const first = client();
  first.addMessage({ id: 'm1', role: 'user', content: 'Please refund order 1002' });
  await first.runAgent();
  const [interrupt] = first.pendingInterrupts;
  await worker.kill();
  await start();
  // The question has outlived its Worker. Now another one dies in the middle of what was approved.
  const second = client();
  await second.runAgent();
  expect(second.pendingInterrupts).toEqual([interrupt]);
  const hold = await effects.hold('refunds');
  const resume = [
    { interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
  ];
  const cut = second.runAgent({ resume });
  await within(10_000, 'the refund reaches the shop', hold.reached);
  await worker.kill();
  hold.release();
  await cut;
  expect(second.messages.at(-1)?.role).toBe('assistant'); // its calls, and no result of them
  await start();
  const third = client();
  await third.runAgent();
  const answer = await openSession(worker.url, 'killed', 'refunds').turnEnded(0);
  expect(answer.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  expect(third.pendingInterrupts).toEqual([]);
  expect(String(third.messages.at(-1)?.content)).toContain('118.5');
  expect(effects.executions().map(({ what }) => JSON.parse(what))).toEqual([
    { orderId: 1002, amount: 118.5 },
  ]);
});
