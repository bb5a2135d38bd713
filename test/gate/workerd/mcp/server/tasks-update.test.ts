import { describe, expect, it } from 'vitest';
import { listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { registerScript } from '../../../../fixtures/scripts.ts';
import { readJson, type Send } from '../../http/client.ts';
import { createEndpointApp, createSessionId, getTexts, getView } from './talk.ts';
import { pollUntil, requestResult, sendRequest, startTask, TASKS_EXTENSION } from './task-talk.ts';

const via = createEndpointApp({ agents: ['clerk'] });

/** A client that supports tasks, and can ask its user. */
const ASKING_OPTIONS = { capabilities: { elicitation: {}, extensions: { [TASKS_EXTENSION]: {} } } };
const ACK_RESULT = { resultType: 'complete' };
const approve = { action: 'accept', content: { decision: 'approve' } };

const createPayCall = (to: string, amount: number, tool = 'pay') => ({ name: tool, input: { to, amount } });

interface WaitingTask {
  readonly taskId: unknown;
  readonly session: string;
  /** The keys of the questions. */
  readonly keys: readonly string[];
  readonly task: Record<string, unknown>;
}

/** A task that waits for decisions about these calls. */
async function startWaitingTask(
  send: Send,
  calls: readonly ReturnType<typeof createPayCall>[],
  options: object = ASKING_OPTIONS,
): Promise<WaitingTask> {
  const { message } = registerScript({ calls: [...calls] }, 'Paid.');
  const session = createSessionId();
  const { taskId } = await startTask(send, 'clerk', { message: message(), session }, options);
  const task = await pollUntil(send, taskId, 'input_required', options);
  return { taskId, session, task, keys: Object.keys(Object(task.inputRequests)) };
}

const update = (taskId: unknown, inputResponses: object, options: object = ASKING_OPTIONS, send = via) =>
  requestResult(send, 'tasks/update', { taskId, inputResponses }, options);

describe('a task that waits', () => {
  it('asks its client for a decision, and then the turn resumes in the background', async () => {
    const to = createSessionId();
    const { taskId, session, task, keys } = await startWaitingTask(via, [createPayCall(to, 5)]);
    const { pending } = await readJson(await via(`/agents/clerk/sessions/${session}`));
    const [{ call, links, message }] = Object(pending);
    expect(keys).toEqual([`${call}#0`]);
    const { createdAt, lastUpdatedAt, inputRequests, ...told } = task;
    expect(told).toEqual({
      resultType: 'complete',
      taskId,
      status: 'input_required',
      statusMessage:
        'The turn waits for an answer from outside, and then continues:\n' +
        `- pay, answered by POST ${links.approvals}: ${message}`,
      ttlMs: null,
      pollIntervalMs: 5_000,
    });
    expect(Object(inputRequests)[`${call}#0`]).toMatchObject({
      method: 'elicitation/create',
      params: { message: `Tool 'pay' is to be called with {"to":"${to}","amount":5}.\nMay I pay?` },
    });
    expect(Date.parse(String(lastUpdatedAt))).toBeGreaterThanOrEqual(Date.parse(String(createdAt)));
    expect(await update(taskId, { [`${call}#0`]: approve })).toEqual(ACK_RESULT);
    const { result } = await pollUntil(via, taskId, 'completed', ASKING_OPTIONS);
    expect([getTexts(result), getView(result).outcome, listPaymentsTo(to)]).toEqual([
      ['Paid.'],
      'completed',
      [5],
    ]);
    expect(await update(taskId, { [`${call}#0`]: approve })).toEqual(ACK_RESULT);
    expect(listPaymentsTo(to)).toEqual([5]);
  });

  it('is rejected if the client’s user declines', async () => {
    const to = createSessionId();
    const { taskId, keys } = await startWaitingTask(via, [createPayCall(to, 5)]);
    expect(await update(taskId, { [String(keys[0])]: { action: 'decline' } })).toEqual(ACK_RESULT);
    await pollUntil(via, taskId, 'completed', ASKING_OPTIONS);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('resumes after the last of several answers, and asks for the missing ones', async () => {
    const to = createSessionId();
    const { taskId, keys } = await startWaitingTask(via, [createPayCall(to, 1), createPayCall(to, 2)]);
    const [first = '', second = ''] = keys;
    expect(keys.length).toBe(2);
    expect(await update(taskId, { [second]: approve })).toEqual(ACK_RESULT);
    const listLeft = async () =>
      Object.keys(Object((await requestResult(via, 'tasks/get', { taskId }, ASKING_OPTIONS)).inputRequests));
    await expect.poll(listLeft, { timeout: 20_000 }).toEqual([first]);
    expect(await update(taskId, { [first]: approve })).toEqual(ACK_RESULT);
    await pollUntil(via, taskId, 'completed', ASKING_OPTIONS);
    expect(listPaymentsTo(to).toSorted()).toEqual([1, 2]);
  });

  it('asks only what this caller can answer, and describes the other questions', async () => {
    const roles = createEndpointApp(
      { agents: ['clerk'] },
      {
        auth: ({ headers }) => ({
          id: headers.get('x-user') ?? 'nobody',
          tenant: 'acme',
          roles: headers.get('x-user') === 'boss' ? ['manager'] : [],
        }),
      },
    );
    const to = createSessionId();
    const createUserOptions = (user: string) => ({ ...ASKING_OPTIONS, headers: { 'x-user': user } });
    const { taskId, keys } = await startWaitingTask(
      roles,
      [createPayCall(to, 1), createPayCall(to, 2, 'pay_as_manager')],
      createUserOptions('ada'),
    );
    expect(keys.length).toBe(1);
    const ofBoss = await requestResult(roles, 'tasks/get', { taskId }, createUserOptions('boss'));
    const [mine] = keys;
    const other = Object.keys(Object(ofBoss.inputRequests)).find((key) => key !== mine) ?? '';
    expect(await update(taskId, { [other]: approve }, createUserOptions('ada'), roles)).toEqual(ACK_RESULT);
    expect(await requestResult(roles, 'tasks/cancel', { taskId }, createUserOptions('ada'))).toEqual({
      error: { code: -32600, message: expect.stringMatching(/role 'manager'/) },
    });
    const still = await requestResult(roles, 'tasks/get', { taskId }, createUserOptions('boss'));
    expect(Object.keys(Object(still.inputRequests))).toContain(other);
    expect(
      await update(taskId, { [other]: approve, [String(mine)]: approve }, createUserOptions('boss'), roles),
    ).toEqual(ACK_RESULT);
    await pollUntil(roles, taskId, 'completed', createUserOptions('boss'));
    expect(listPaymentsTo(to).toSorted()).toEqual([1, 2]);
  });

  it('is cancelled if the answer is exit', async () => {
    const to = createSessionId();
    const { taskId, keys } = await startWaitingTask(via, [createPayCall(to, 5)]);
    expect(await requestResult(via, 'tasks/cancel', { taskId })).toEqual(ACK_RESULT);
    await pollUntil(via, taskId, 'cancelled', ASKING_OPTIONS);
    expect(await update(taskId, { [String(keys[0])]: approve })).toEqual(ACK_RESULT);
    expect(listPaymentsTo(to)).toEqual([]);
  });
});

describe('tasks/update', () => {
  it('ignores answers without a question', async () => {
    const to = createSessionId();
    const { taskId, task } = await startWaitingTask(via, [createPayCall(to, 5)]);
    for (const answers of [
      {},
      { 'unknown-key': approve },
      { 'unknown-key': { ignored: true } },
      { __proto__: approve },
      { constructor: approve },
      Object.fromEntries(Array.from({ length: 2_000 }, (_, one) => [`key-${one}`, approve])),
    ]) {
      expect(await update(taskId, answers)).toEqual(ACK_RESULT);
    }
    for (const inputResponses of [undefined, null, 5, 'yes', [approve]]) {
      expect(await requestResult(via, 'tasks/update', { taskId, inputResponses }, ASKING_OPTIONS)).toEqual(
        ACK_RESULT,
      );
    }
    expect(await requestResult(via, 'tasks/get', { taskId }, ASKING_OPTIONS)).toEqual(task);
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('leaves a question open if its form was dismissed', async () => {
    const { taskId, task, keys } = await startWaitingTask(via, [createPayCall(createSessionId(), 5)]);
    expect(await update(taskId, { [String(keys[0])]: { action: 'cancel' } })).toEqual(ACK_RESULT);
    expect(await requestResult(via, 'tasks/get', { taskId }, ASKING_OPTIONS)).toEqual(task);
  });

  it.each([
    [{ action: 'maybe' }, 'it is not the answer of a form'],
    [
      { action: 'accept', content: { decision: 'perhaps' } },
      'decision: must be approve, edit, reject or exit',
    ],
  ])('refuses %j', async (answer, problem) => {
    const { taskId, task, keys } = await startWaitingTask(via, [createPayCall(createSessionId(), 5)]);
    const [key = ''] = keys;
    expect(await update(taskId, { [key]: answer })).toEqual({
      error: {
        code: -32602,
        message: `These answers were not accepted: the one to '${key}': ${problem}.`,
      },
    });
    expect(await requestResult(via, 'tasks/get', { taskId }, ASKING_OPTIONS)).toEqual(task);
  });

  it('requires a client that has declared the extension, and a task of the caller', async () => {
    const to = createSessionId();
    const { taskId, keys } = await startWaitingTask(via, [createPayCall(to, 5)]);
    const answers = { [String(keys[0])]: approve };
    const response = await sendRequest(
      via,
      'tasks/update',
      { taskId, inputResponses: answers },
      { capabilities: {} },
    );
    expect([response.status, Object(await response.json()).error.code]).toEqual([400, -32021]);
    const others = createEndpointApp({ agents: ['clerk'] }, { auth: () => ({ id: 'eve' }) });
    const shown = String(taskId).length > 80 ? `${String(taskId).slice(0, 79)}…` : taskId;
    expect(await update(taskId, answers, ASKING_OPTIONS, others)).toEqual({
      error: { code: -32602, message: `There is no task '${shown}'. A task is deleted with its session.` },
    });
    expect(listPaymentsTo(to)).toEqual([]);
  });
});
