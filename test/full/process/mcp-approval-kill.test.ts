/** The built Worker is killed while the user of an MCP client has an approval before them, and while what was approved is done. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ElicitRequest, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CountedEffects, countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { within } from '../../../src/examples/demo/ports.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let directory: string;
let effects: CountedEffects;
let worker: KillableWorker;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-approvals-'));
  effects = await countEffects(join(directory, 'effects.jsonl'));
  await start();
});
afterAll(async () => {
  await worker.kill();
  effects.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<void> {
  worker = await startKillable('test/full/mcp/task-worker.ts', {
    storage: join(directory, 'storage'),
    vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url },
  });
}

/** The official client, whose user is asked; it finds the Worker wherever that was started again. */
async function connected(answer: (params: ElicitRequest['params']) => Promise<void>): Promise<Client> {
  const client = new Client(
    { name: 'approval-kill', version: '1' },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    await answer(params);
    return { action: 'accept', content: { decision: 'approve' } };
  });
  const transport = new StreamableHTTPClientTransport(new URL('http://worker.invalid/mcp'), {
    fetch: (url, init) => fetch(new URL(new URL(url).pathname, worker.url), init),
  });
  await client.connect(transport);
  return client;
}

const done = (): unknown[] => effects.executions().map(({ what }) => JSON.parse(what));

it('what is approved after a kill is done once, also when the next kill comes while it is done', async () => {
  const questions: string[] = [];
  let killing: Promise<void> | undefined;
  const client = await connected(async ({ message }) => {
    questions.push(message.split('\n').at(-1) ?? '');
    expect(done()).toEqual([]);
    await worker.kill();
    await start();
    const hold = await effects.hold('refunds');
    killing = within(20_000, 'the refund reaches the shop', hold.reached).then(async () => {
      await worker.kill();
      hold.release();
      await start();
    });
  });
  const input = { message: 'Please refund order 1002', session: 'approval-kill' };
  // The connection of the approved call breaks with the Worker; the turn goes on without it.
  const broken = client.callTool({ name: 'refunds', arguments: input }).catch(String);
  await expect.poll(() => killing !== undefined, { timeout: 30_000 }).toBe(true);
  await killing;
  expect(questions).toEqual([
    'Refund 118.50 euro for order 1002 (2 x Mooring line, 20 m, 1 x Storm lantern) to Iker Sola?',
  ]);
  const state = async (): Promise<unknown> => {
    const response = await fetch(`${worker.url}/agents/refunds/sessions/approval-kill`);
    const { messages } = (await response.json()) as { messages: readonly { text: string }[] };
    return messages.at(-1)?.text;
  };
  await expect.poll(state, { timeout: 30_000 }).toContain('amount: 118.5');
  expect(done()).toEqual([{ orderId: 1002, amount: 118.5 }]);
  await client.close();
  await broken;
});
