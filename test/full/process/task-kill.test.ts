/** Kills the built Worker between polls of a task, and during an effect of its turn. */
import { expect, it } from 'vitest';
import { withTimeLimit } from '../../../src/examples/demo/ports.ts';
import { createKillableDesk } from './killable-desk.ts';

const desk = createKillableDesk();

async function killAndRestart(): Promise<void> {
  await desk.worker.kill();
  await desk.start();
}

/** Sends a request of a client that supports tasks and can ask its user. Returns the result. */
async function sendRequest(method: string, params: Readonly<Record<string, unknown>>) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'task-kill', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {
      elicitation: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
  };
  const response = await fetch(`${desk.worker.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.taskId ?? params.name),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(/^data: (\{"(?:result|jsonrpc).*)$/m.exec(text)?.[1] ?? text);
  if (error) throw new Error(`${method} returned the error ${JSON.stringify(error)}`);
  return result;
}

async function pollUntil(taskId: string, status: string) {
  let task = await sendRequest('tasks/get', { taskId });
  const fetchTaskStatus = async (): Promise<unknown> => {
    task = await sendRequest('tasks/get', { taskId });
    return task.status;
  };
  await expect.poll(fetchTaskStatus, { timeout: 30_000 }).toBe(status);
  return task;
}

const readExecutedInputs = (): unknown[] => desk.effects.executions().map(({ what }) => JSON.parse(what));

it('a task that is polled and answered across three kills completes with one effect', async () => {
  const input = { message: 'Please refund order 1002', session: 'task-kill' };
  const { taskId, resultType } = await sendRequest('tools/call', { name: 'refunds', arguments: input });
  expect(resultType).toBe('task');
  await killAndRestart();
  const { inputRequests } = await pollUntil(taskId, 'input_required');
  const [[key, request] = []] = Object.entries<Record<string, unknown>>(inputRequests);
  expect(request).toMatchObject({
    method: 'elicitation/create',
    params: {
      message: expect.stringContaining(
        'Refund 118.50 euro for order 1002 (2 x Mooring line, 20 m, 1 x Storm lantern) to Iker Sola?',
      ),
    },
  });
  await killAndRestart();
  expect((await sendRequest('tasks/get', { taskId })).inputRequests).toEqual(inputRequests);
  expect(readExecutedInputs()).toEqual([]);
  const hold = await desk.effects.hold('refunds');
  const inputResponses = { [String(key)]: { action: 'accept', content: { decision: 'approve' } } };
  expect(await sendRequest('tasks/update', { taskId, inputResponses })).toMatchObject({
    resultType: 'complete',
  });
  await withTimeLimit(20_000, 'the refund reaches the shop', hold.reached);
  await desk.worker.kill();
  hold.release();
  await desk.start();
  const { result } = await pollUntil(taskId, 'completed');
  expect(result.structuredContent).toMatchObject({ outcome: 'completed', session: 'task-kill' });
  expect(result.structuredContent.text).toContain('amount: 118.5');
  expect(readExecutedInputs()).toEqual([{ orderId: 1002, amount: 118.5 }]);
});
