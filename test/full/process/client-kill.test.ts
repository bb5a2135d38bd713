/** Uses the client of the package while the built Worker is killed during a turn and restarted. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../../src/client/entry.ts';
import { createSessionStore } from '../../../src/client/react/entry.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let storage: string;
let worker: KillableWorker;
beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
  worker = await start();
});
afterAll(async () => {
  await worker.kill();
  await rm(storage, { recursive: true, force: true, maxRetries: 3 });
});

const start = (): Promise<KillableWorker> =>
  startKillable('test/fixtures/counting-worker.ts', { storage, vars: { LEASE_MS: '300' } });

async function killAndStart(): Promise<void> {
  await worker.kill();
  worker = await start();
}

/** The Worker has a different port after each restart, behind the same host name. */
const client = createClient({
  url: 'http://worker.test',
  agent: 'counter',
  retries: 12,
  fetch: (url, init) => fetch(url.replace('http://worker.test', worker.url), init),
});

it('a client shows every event of the turn and the answer once across a kill', async () => {
  const session = client.session('streamed');
  const seqs: number[] = [];
  const types: string[] = [];
  let counted = 0;
  for await (const item of session.stream('Count.')) {
    types.push(item.type);
    if ('seq' in item) seqs.push(item.seq);
    if (item.type === 'answer')
      expect(item.answer).toMatchObject({ outcome: 'completed', text: 'That was six.' });
    if (item.type !== 'tool-call-ended') continue;
    counted += 1;
    if (counted === 2 || counted === 4) await killAndStart();
  }
  const journal: number[] = [];
  for await (const event of session.events()) if ('turn' in event) journal.push(event.seq);
  expect(seqs).toEqual(journal);
  expect(types.filter((type) => type === 'resumed').length).toBeGreaterThanOrEqual(2);
  expect(types.filter((type) => type === 'turn-started')).toHaveLength(1);
  expect(types.at(-1)).toBe('answer');
});

it('a message that is sent while the Worker is down runs once', async () => {
  await worker.kill();
  const session = client.session('sent');
  const sent = session.send('Count.');
  worker = await start();
  expect(await sent).toMatchObject({ outcome: 'completed', text: 'That was six.' });
  const { messages } = await session.state();
  expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1);
});

it('a page shows every call and the answer, even if the Worker is killed during the turn', async () => {
  const store = createSessionStore(client.session('shown'));
  const leave = store.subscribe(() => {});
  expect(await store.send('Count.')).toBe(true);
  const countEndedCalls = () =>
    store
      .getSnapshot()
      .messages.flatMap(({ calls = [] }) => calls)
      .filter(({ status }) => status === 'ended').length;
  await expect.poll(countEndedCalls).toBeGreaterThanOrEqual(2);
  await killAndStart();
  await expect
    .poll(() => store.getSnapshot().messages.at(-1)?.text, { timeout: 40_000 })
    .toBe('That was six.');
  await expect.poll(() => store.getSnapshot().status).toBe('idle');
  expect(countEndedCalls()).toBe(6);
  leave();
});
