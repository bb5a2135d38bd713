/** The tasks client of docs/mcp.md. */
import { expect, it } from 'vitest';
import { begin, cancel, wait } from '../../../../src/examples/mcp/task.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { ORIGIN } from '../http/client.ts';
import { createEndpointApp } from '../mcp/server/talk.ts';

const via = createEndpointApp({ agents: ['scripted'] });
const endpoint = { url: `${ORIGIN}/mcp`, fetch: async (url: string, init: RequestInit) => via(url, init) };

it('a client that knows the task id can wait for its answer', async () => {
  const { message } = registerScript('Counted: seven.');
  const taskId = await begin(endpoint, 'scripted', message());
  const task = await wait(endpoint, taskId);
  expect([task.status, task.result?.isError, task.result?.content[0]?.text]).toEqual([
    'completed',
    undefined,
    'Counted: seven.',
  ]);
  await expect(wait(endpoint, 'nobodys')).rejects.toThrow("There is no task 'nobodys'.");
});

it('a task can be cancelled, and its status shows the cancellation', async () => {
  const answer = createHeldReply('Too late.');
  const taskId = await begin(endpoint, 'scripted', registerScript(answer.reply).message());
  await answer.asked();
  await cancel(endpoint, taskId);
  expect(await wait(endpoint, taskId)).toMatchObject({ status: 'cancelled' });
  answer.release();
});
