/**
 * Kills a Worker with AG-UI and A2A during a call. The clients must resume, and the effect must happen once.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Role, type Task, TaskState } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { HttpAgent } from '@ag-ui/client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSession } from '../../../src/examples/demo/client.ts';
import { type CountedEffects, countEffects } from '../../../src/examples/demo/counted-effects.ts';
import { withTimeLimit } from '../../../src/examples/demo/ports.ts';
import { type KillableWorker, startKillable } from './killable-worker.ts';

let directory: string;
let effects: CountedEffects;
let worker: KillableWorker;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'holdfast-protocols-'));
  effects = await countEffects(join(directory, 'effects.jsonl'));
});
afterEach(async () => {
  await worker.kill();
  effects.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});

async function start(): Promise<void> {
  worker = await startKillable('test/fixtures/protocols-worker.ts', {
    storage: join(directory, 'storage'),
    vars: { MODEL: 'offline', LEASE_MS: '300', SHOP_URL: effects.url },
  });
}

const createAgUiClient = () =>
  new HttpAgent({ url: `${worker.url}/agents/refunds/ag-ui`, threadId: 'killed', fetch: fetchWithEnding });

/** Makes a broken body end normally, because the client does not handle the rejection of a broken body. */
async function fetchWithEnding(url: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  async function* readUntilBroken() {
    try {
      yield* response.body ?? [];
    } catch {
      // The Worker was killed.
    }
  }
  return new Response(ReadableStream.from(readUntilBroken()), response);
}

it('an AG-UI thread has the content of the journal after a kill', async () => {
  await start();
  const first = createAgUiClient();
  first.addMessage({ id: 'm1', role: 'user', content: 'Please refund order 1002' });
  await first.runAgent();
  const [interrupt] = first.pendingInterrupts;
  await worker.kill();
  await start();
  // The question is still open after the kill. The next Worker is killed during the approved call.
  const second = createAgUiClient();
  await second.runAgent();
  expect(second.pendingInterrupts).toEqual([interrupt]);
  const hold = await effects.hold('refunds');
  const resume = [
    { interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } },
  ];
  const cut = second.runAgent({ resume });
  await withTimeLimit(10_000, 'the refund reaches the shop', hold.reached);
  await worker.kill();
  hold.release();
  await cut;
  expect(second.messages.at(-1)?.role).toBe('assistant'); // its calls have no results yet
  await start();
  const third = createAgUiClient();
  await third.runAgent();
  const answer = await openSession(worker.url, 'killed', 'refunds').turnEnded(0);
  expect(answer.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  expect(third.pendingInterrupts).toEqual([]);
  expect(String(third.messages.at(-1)?.content)).toContain('118.5');
  expect(effects.executions().map(({ what }) => JSON.parse(what))).toEqual([
    { orderId: 1002, amount: 118.5 },
  ]);
});

it('an A2A task is completed after its Worker is killed twice, and its refund runs once', async () => {
  const connectClient = () => new ClientFactory().createFromUrl(`${worker.url}/a2a/refunds/`);
  const createMessageRequest = (taskId: string, ...parts: Task['history'][number]['parts']) => ({
    tenant: '',
    message: {
      ...{ messageId: crypto.randomUUID(), contextId: '', taskId, role: Role.ROLE_USER, parts },
      ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
    },
    configuration: undefined,
    metadata: undefined,
  });
  const createPart = (content: Task['history'][number]['parts'][number]['content']) => ({
    ...{ content, metadata: undefined, filename: '', mediaType: '' },
  });
  await start();
  const asked = await (await connectClient()).sendMessage(
    createMessageRequest('', createPart({ $case: 'text', value: 'Please refund order 1002' })),
  );
  const { id, status } = asked as Task; // the agent always responds with a task
  const data = status?.message?.parts.find(({ content }) => content?.$case === 'data')?.content?.value;
  await worker.kill();
  await start();
  // The question is still open after the kill. The next Worker is killed during the approved call.
  const hold = await effects.hold('refunds');
  const decision = { call: data.call, decision: 'approve' };
  const cut = (await connectClient())
    .sendMessage(createMessageRequest(id, createPart({ $case: 'data', value: decision })))
    .catch(() => 'cut off');
  await withTimeLimit(10_000, 'the refund reaches the shop', hold.reached);
  await worker.kill();
  hold.release();
  expect(await cut).toBe('cut off');
  await start();
  const again = await connectClient();
  // A client that subscribes again receives the end of the task, or an error if it has ended.
  const watchTask = async () => {
    for await (const _ of again.resubscribeTask({ tenant: '', id }));
  };
  await watchTask().catch((failure) => expect(failure).toBeInstanceOf(UnsupportedOperationError));
  const over = await again.getTask({ tenant: '', id });
  expect(over.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(JSON.stringify(over.artifacts)).toContain('118.5');
  expect(effects.executions().map(({ what }) => JSON.parse(what))).toEqual([
    { orderId: 1002, amount: 118.5 },
  ]);
});
