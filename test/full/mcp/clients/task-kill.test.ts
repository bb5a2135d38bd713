/** A task whose Worker is killed. The client of the tasks extension polls the task and reads its result. */
import { resultFromTaskOutcome, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withTimeLimit } from '../../../../src/examples/demo/ports.ts';
import { type KilledWorker, startKilled } from './killed-worker.ts';
import { createTaskSession } from './task-session.ts';

let worker: KilledWorker;
const sessions: TaskEnabledSession[] = [];
beforeAll(async () => {
  worker = await startKilled();
});
afterAll(async () => {
  for (const session of sessions) await session.close();
  await worker?.stop();
});

async function connectClient(): Promise<TaskEnabledSession> {
  const session = await createTaskSession(worker.fetch);
  sessions.push(session);
  return session;
}

/**
 * Starts the packing of an order. Resolves when the warehouse has received the request, and holds its response.
 */
async function startPacking(session: TaskEnabledSession, orderId: number) {
  const hold = await worker.effects.hold('warehouse');
  const execution = await session.callTool('orders', { message: `Move order ${orderId} to packed` });
  if (execution.kind !== 'task') throw new Error(`The call returned a ${execution.kind}, not a task.`);
  await withTimeLimit(20_000, 'the order reaches the warehouse', hold.reached);
  return { execution, hold };
}

const countPacked = (): number => worker.done('warehouse').length;

it('a task runs once and can be polled across a kill', async () => {
  const { execution, hold } = await startPacking(await connectClient(), 2001);
  await worker.restart(hold.release);
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    structuredContent: { outcome: 'completed', text: expect.stringContaining("The warehouse's note is") },
  });
  expect(countPacked()).toBe(1);
});

it('a task can be polled by a client that knows only its id', async () => {
  const before = countPacked();
  const { execution, hold } = await startPacking(await connectClient(), 2002);
  const reference = execution.serializeReference();
  await worker.restart(hold.release);
  const resumed = await (await connectClient()).resumeTask(reference);
  const { outcome } = await resumed.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { outcome: 'completed' } });
  expect(countPacked()).toBe(before + 1);
});
