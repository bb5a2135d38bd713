import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { readJson, type Send } from '../../http/client.ts';
import { createEndpointApp, createSessionId, getTexts, recordCall } from './talk.ts';
import { pollUntil, sendRequest, startTask, TASKS_EXTENSION } from './task-talk.ts';

const via = createEndpointApp({ agents: ['scripted', { agent: 'clerk', as: 'ask_clerk' }] });

type Message = Record<string, unknown>;

/** Yields the messages of a stream as they arrive. */
async function* listenToTasks(send: Send, taskIds: unknown): AsyncGenerator<Message, void> {
  const response = await sendRequest(send, 'subscriptions/listen', { notifications: { taskIds } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const waiting: Message[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(JSON.parse(data)) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* waiting.splice(0);
  }
}

async function collect(messages: AsyncIterable<Message>): Promise<Message[]> {
  const told: Message[] = [];
  for await (const message of messages) told.push(message);
  return told;
}

const SUBSCRIPTION = { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } };
const createAcknowledgement = (...taskIds: unknown[]) => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: { taskIds }, ...SUBSCRIPTION },
});
const END_MESSAGE = { jsonrpc: '2.0', id: 1, result: { resultType: 'complete', ...SUBSCRIPTION } };

describe('a client that subscribes to its task', () => {
  it('gets its status and its answer, as tasks/get returns them, and then the stream ends', async () => {
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const { taskId } = await startTask(via, 'scripted', { message: message(), session: createSessionId() });
    await answer.asked();
    const messages = listenToTasks(via, [taskId, taskId]);
    const readNext = async () => (await messages.next()).value;
    expect(await readNext()).toEqual(createAcknowledgement(taskId));
    expect(Object(await readNext()).params).toMatchObject({ taskId, status: 'working', ...SUBSCRIPTION });
    answer.release();
    const { params, ...rest } = Object(await readNext());
    expect(rest).toEqual({ jsonrpc: '2.0', method: 'notifications/tasks' });
    const { resultType, ...task } = await pollUntil(via, taskId, 'completed');
    expect(params).toEqual({ ...task, ...SUBSCRIPTION });
    expect(getTexts(params.result)).toEqual(['Done.']);
    expect([resultType, await readNext(), (await messages.next()).done]).toEqual([
      'complete',
      END_MESSAGE,
      true,
    ]);
  });

  it('gets the tool calls while the task runs', async () => {
    const answer = createHeldReply(recordCall('mcp-task-heard'));
    const { message } = registerScript(answer.reply, 'Done.');
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    await answer.asked();
    const words: unknown[] = [];
    const messages = listenToTasks(via, [taskId]);
    await messages.next();
    await messages.next();
    answer.release();
    for await (const { params } of messages) words.push(Object(params).statusMessage);
    expect(words).toEqual(expect.arrayContaining(['record: started', 'record: done']));
  });

  it('is notified when the task waits and when it resumes', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'pay', input: { to: createSessionId(), amount: 5 } }] },
      'Paid.',
    );
    const id = createSessionId();
    const { taskId } = await startTask(via, 'ask_clerk', { message: message(), session: id });
    const seen: unknown[] = [];
    let isDecided = false;
    for await (const { params } of listenToTasks(via, [taskId])) {
      const { status, statusMessage, result } = Object(params);
      if (status) seen.push(result ? getTexts(result) : statusMessage);
      if (isDecided || !String(statusMessage).startsWith('The turn waits')) continue;
      isDecided = true;
      const { pending } = await readJson(await via(`/agents/clerk/sessions/${id}`));
      await via(Object(pending)[0].links.approvals, {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'respond-async' },
        body: JSON.stringify({ decision: 'approve' }),
      });
    }
    expect(seen).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^The turn waits for an answer from outside/),
        ['Paid.'],
      ]),
    );
    expect(seen.at(-1)).toEqual(['Paid.']);
  });

  it('follows several tasks, ignores unknown ones, and gets the end of a finished one', async () => {
    const ids = await Promise.all(
      ['One.', 'Two.'].map(async (answer) => {
        const { taskId } = await startTask(via, 'scripted', { message: registerScript(answer).message() });
        await pollUntil(via, taskId, 'completed');
        return taskId;
      }),
    );
    const [first, ...others] = await collect(listenToTasks(via, [...ids, 'no-task', '']));
    expect(first).toEqual(createAcknowledgement(...ids));
    expect(others.at(-1)).toEqual(END_MESSAGE);
    expect(
      others
        .slice(0, -1)
        .map(({ params }) => Object(params).taskId)
        .toSorted(),
    ).toEqual(ids.toSorted());
    expect(await collect(listenToTasks(via, []))).toEqual([createAcknowledgement(), END_MESSAGE]);
  });

  it('can disconnect, and the turn continues', async () => {
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    await answer.asked();
    const messages = listenToTasks(via, [taskId]);
    await messages.next();
    await messages.return();
    answer.release();
    expect(getTexts((await pollUntil(via, taskId, 'completed')).result)[0]).toBe('Done.');
  });
});

describe('a subscription request', () => {
  const WRONG = '`notifications.taskIds` must be a list of at most 16 ids of tasks.';
  it.each([5, 'task', null, {}, [5], Array.from({ length: 17 }, (_, one) => `${one}`)])(
    'is refused for %j',
    async (taskIds) => {
      const response = await sendRequest(via, 'subscriptions/listen', { notifications: { taskIds } });
      expect([response.status, await response.json()]).toEqual([
        400,
        { jsonrpc: '2.0', id: 1, error: { code: -32602, message: WRONG } },
      ]);
    },
  );

  it('is refused if the client has not declared the extension', async () => {
    const params = { notifications: { taskIds: ['any'] } };
    const response = await sendRequest(via, 'subscriptions/listen', params, { capabilities: {} });
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 1,
        error: {
          code: -32021,
          message:
            'The request must declare the extension io.modelcontextprotocol/tasks in its client capabilities.',
          data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
        },
      },
    ]);
  });

  it('is handled by the SDK if it lists no tasks', async () => {
    const response = await sendRequest(via, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await response.text()).not.toContain('taskIds');
  });
});
