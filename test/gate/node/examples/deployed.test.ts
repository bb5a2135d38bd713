import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';

const entry = fileURLToPath(new URL('../../../../src/examples/openai/worker.ts', import.meta.url).href);
const headers = { 'content-type': 'application/json', authorization: 'Bearer a-token' };
let storage: string;
let worker: Miniflare;

beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), 'deployed-'));
});
afterAll(async () => {
  await worker.dispose();
  await rm(storage, { recursive: true, force: true });
});

/** Starts the built Worker, with the sessions of earlier starts. */
async function start(): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
  });
  worker = new Miniflare({
    cf: false,
    resourcePersistencePath: storage,
    workers: [
      {
        config: {
          name: 'app',
          compatibilityDate: '2026-11-01',
          compatibilityFlags: ['enable_request_signal', 'global_fetch_strictly_public'],
          manifest: {
            mainModule: 'worker.js',
            modules: { 'worker.js': { type: 'esm', contents: outputFiles[0]?.text ?? '' } },
          },
          env: {
            SESSIONS: { type: 'durable-object', worker: 'app', exportName: 'SessionObject' },
            HOLDFAST_TOKEN: { type: 'text', value: 'a-token' },
            MODEL: { type: 'text', value: 'offline' }, // or OPENAI_BASE_URL with the address of a test server
          },
          exports: { SessionObject: { type: 'durable-object', storage: 'sqlite' } },
        },
      },
    ],
  });
}

async function post(path: string, body: object) {
  const url = new URL(path, await worker.ready);
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, answer: await response.json() };
}

it('the deployed example waits for approval, is killed, and pays once after the decision', async () => {
  await start();
  const asked = await post('/agents/cashier/sessions/s1/messages', { message: 'Pay invoice INV-17.' });
  expect(asked).toMatchObject({
    status: 202,
    answer: { outcome: 'suspended', pending: [{ tool: 'pay_invoice' }] },
  });

  await worker.dispose(); // ends the process: only stored data remains
  await start();
  const { approvals } = Object(asked.answer).pending[0].links;
  expect(await post(approvals, { decision: 'approve' })).toMatchObject({
    status: 200,
    answer: { outcome: 'completed', toolCalls: 1 },
  });
  expect(await post(approvals, { decision: 'approve' })).toMatchObject({ status: 409 });
}, 60_000);
