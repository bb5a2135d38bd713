import { abortAllDurableObjects } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../../src/index.ts';
import { recordings } from '../../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { readJournal, readJson } from '../../http/client.ts';
import { deliverToHolders, MANUAL_DELIVERY } from '../../http/time.ts';
import {
  callTool,
  createEndpointApp,
  createSessionId,
  getTexts,
  getView,
  IDEMPOTENCY_META,
  recordCall,
  requestAnswer,
} from './talk.ts';
import { pollUntil, requestResult, sendRequest, startTask, TASKS_EXTENSION } from './task-talk.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });
const via = createEndpointApp({ tools: [hello], agents: ['scripted', { agent: 'clerk', as: 'ask_clerk' }] });

const TIME_MATCHER = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const getSessionPath = (session: string): string => `/agents/scripted/sessions/${session}`;

describe('an agent call of a client that supports tasks', () => {
  it('returns a task, whose turn runs in the background, and ends with the call’s result', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Three.');
    const { message } = registerScript(recordCall('mcp-task'), answer.reply);
    const input = { message: message(), session: id };
    const created = await startTask(via, 'scripted', input);
    const { taskId, createdAt } = created;
    expect(created).toEqual({
      resultType: 'task',
      taskId: expect.stringMatching(/^[A-Za-z0-9_-]+$/),
      status: 'working',
      createdAt: TIME_MATCHER,
      lastUpdatedAt: createdAt,
      ttlMs: null,
      pollIntervalMs: 1_000,
    });
    await answer.asked();
    const readStatusMessage = async () => (await requestResult(via, 'tasks/get', { taskId })).statusMessage;
    await expect.poll(readStatusMessage).toBe('record: done');
    expect(await requestResult(via, 'tasks/get', { taskId })).toEqual({
      resultType: 'complete',
      taskId,
      status: 'working',
      statusMessage: 'record: done',
      createdAt,
      lastUpdatedAt: TIME_MATCHER,
      ttlMs: null,
      pollIntervalMs: 1_000,
    });
    answer.release();
    const done = await pollUntil(via, taskId, 'completed');
    const [, started] = await readJournal(getSessionPath(id));
    const turn = String(started?.turn);
    expect(done).toEqual({
      resultType: 'complete',
      taskId,
      status: 'completed',
      createdAt,
      lastUpdatedAt: TIME_MATCHER,
      ttlMs: null,
      result: {
        resultType: 'complete',
        content: [{ type: 'text', text: 'Three.' }],
        structuredContent: {
          session: id,
          turn,
          path: `${getSessionPath(id)}/turns/${turn}`,
          outcome: 'completed',
          text: 'Three.',
        },
      },
    });
    expect(createdAt).toBe(new Date(Number(started?.at)).toISOString());
  });

  it('includes the session of a new conversation in its answer, as the call does', async () => {
    const { message } = registerScript('Hello.');
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    const { result } = await pollUntil(via, taskId, 'completed');
    const { session } = getView(result);
    expect(session).toMatch(/^mcp-/);
    expect(getTexts(result)).toEqual([
      'Hello.',
      `To continue this conversation, call 'scripted' with the session '${session}'.`,
    ]);
  });

  it('continues if the session’s object restarts between two polls', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(recordCall('mcp-task-anew'), answer.reply);
    const { taskId } = await startTask(via, 'scripted', { message: message(), session: id });
    await answer.asked();
    await abortAllDurableObjects();
    expect(await requestResult(via, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
    answer.release();
    expect(getTexts((await pollUntil(via, taskId, 'completed')).result)).toEqual(['Done.']);
    expect(recordings.filter(({ note }) => note === 'mcp-task-anew').length).toBe(1);
  });

  it('returns the same task under the same key, and starts one turn', async () => {
    const { message, model } = registerScript('Once.');
    const input = { message: message() };
    const meta = { [IDEMPOTENCY_META]: crypto.randomUUID() };
    const first = await startTask(via, 'scripted', input, { meta });
    const { result } = await pollUntil(via, first.taskId, 'completed');
    const again = await startTask(via, 'scripted', input, { meta });
    expect(again).toEqual({ ...first, status: 'completed', lastUpdatedAt: TIME_MATCHER });
    expect(model.requests.length).toBe(1);
    expect(await callTool(via, 'scripted', input, meta)).toEqual(
      Object.fromEntries(Object.entries(Object(result)).filter(([key]) => key !== 'resultType')),
    );
    expect(
      await requestResult(via, 'tools/call', { name: 'scripted', arguments: { message: 'Other' } }, { meta }),
    ).toEqual({
      resultType: 'complete',
      isError: true,
      content: [
        {
          type: 'text',
          text: 'This holdfast/idempotency-key was used with another input. Use a new key for a new message.',
        },
      ],
    });
  });

  it('returns the reason instead of a task if it is refused', async () => {
    const id = createSessionId();
    const answer = createHeldReply('Done.');
    const { message } = registerScript(answer.reply);
    const { taskId } = await startTask(via, 'scripted', { message: message(), session: id });
    await answer.asked();
    const busy = await requestResult(via, 'tools/call', {
      name: 'scripted',
      arguments: { message: 'Hurry', session: id },
    });
    const [, started] = await readJournal(getSessionPath(id));
    expect(busy).toEqual({
      resultType: 'complete',
      isError: true,
      content: [
        {
          type: 'text',
          text:
            `The session is busy with turn ${started?.turn}. Send the message again when it has ended, or without a ` +
            'session to start another conversation.',
        },
      ],
    });
    expect(await requestResult(via, 'tools/call', { name: 'scripted', arguments: {} })).toMatchObject({
      isError: true,
    });
    answer.release();
    await pollUntil(via, taskId, 'completed');
  });

  it('returns a completed task with the call’s error if it fails', async () => {
    const { taskId } = await startTask(via, 'scripted', { message: 'No script.' });
    const { result } = await pollUntil(via, taskId, 'completed');
    expect(Object(result).isError).toBe(true);
    expect(getView(result)).toMatchObject({ outcome: 'failed', error: { type: 'model-failure' } });
  });

  it('shows the pending question, and where it is decided, if it waits', async () => {
    const to = crypto.randomUUID();
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to, amount: 5 } }] }, 'Paid.');
    const id = createSessionId();
    const { taskId } = await startTask(via, 'ask_clerk', { message: message(), session: id });
    const getTask = () => requestResult(via, 'tasks/get', { taskId });
    await expect.poll(async () => (await getTask()).pollIntervalMs, { timeout: 20_000 }).toBe(5_000);
    const { pending } = await readJson(await via(`/agents/clerk/sessions/${id}`));
    const [{ message: question, links }] = Object(pending);
    const told = await getTask();
    expect([told.status, told.statusMessage]).toEqual([
      'working',
      'The turn waits for an answer from outside, and then continues:\n' +
        `- pay, answered by POST ${links.approvals}: ${question}`,
    ]);
    await via(links.approvals, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'approve' }),
    });
    expect(getTexts((await pollUntil(via, taskId, 'completed')).result)).toEqual(['Paid.']);
  });
});

describe('tasks/cancel', () => {
  it('stops the turn, and is acknowledged even after its end', async () => {
    const id = `${MANUAL_DELIVERY}-${createSessionId()}`;
    const answer = createHeldReply('Never.');
    const { message } = registerScript(answer.reply);
    const { taskId, createdAt } = await startTask(via, 'scripted', { message: message(), session: id });
    await answer.asked();
    expect(await requestResult(via, 'tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
    deliverToHolders();
    expect(await pollUntil(via, taskId, 'cancelled')).toEqual({
      resultType: 'complete',
      taskId,
      status: 'cancelled',
      statusMessage: 'The turn was cancelled.',
      createdAt,
      lastUpdatedAt: TIME_MATCHER,
      ttlMs: null,
    });
    expect(await requestResult(via, 'tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
    expect((await readJournal(getSessionPath(id))).filter(({ type }) => type === 'turn-ended').length).toBe(
      1,
    );
  });

  it('does not change a turn that has an answer', async () => {
    const { message } = registerScript('Done.');
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    const done = await pollUntil(via, taskId, 'completed');
    expect(await requestResult(via, 'tasks/cancel', { taskId })).toEqual({ resultType: 'complete' });
    expect(await requestResult(via, 'tasks/get', { taskId })).toEqual(done);
  });
});

describe('a client without support for tasks', () => {
  const MISSING = {
    code: -32021,
    message:
      'The request must declare the extension io.modelcontextprotocol/tasks in its client capabilities.',
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  };

  it('receives the answer of the turn directly, in either revision', async () => {
    const { message } = registerScript('One.', 'Two.');
    const capabilities = {};
    const createCallParams = (session?: string) => ({
      name: 'scripted',
      arguments: { message: message(), session },
    });
    const modern = await requestResult(via, 'tools/call', createCallParams(), { capabilities });
    expect([modern.resultType, getTexts(modern)[0]]).toEqual(['complete', 'One.']);
    const { session } = getView(modern);
    const legacy = await requestAnswer(via, 'tools/call', createCallParams(session));
    expect(getTexts(legacy)).toEqual(['Two.']);
  });

  it('can be a client of an older revision with any declaration', async () => {
    const { message } = registerScript('One.');
    const capabilities = { extensions: { [TASKS_EXTENSION]: {} } };
    const answer = await callTool(
      via,
      'scripted',
      { message: message() },
      { 'io.modelcontextprotocol/clientCapabilities': capabilities },
    );
    expect([getTexts(answer)[0], answer.resultType]).toEqual(['One.', undefined]);
  });

  it.each(['tasks/get', 'tasks/cancel'])('cannot use %s', async (method) => {
    const { message } = registerScript('Done.');
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    const response = await sendRequest(via, method, { taskId }, { capabilities: {} });
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: 1, error: MISSING },
    ]);
    expect(await requestAnswer(via, method, { taskId })).toEqual({
      error: { code: -32601, message: 'Method not found' },
    });
  });

  it.each([[], 5, null, 'tasks', { [TASKS_EXTENSION]: 5 }, { [TASKS_EXTENSION]: null }])(
    'declares no extensions: %j',
    async (extensions) => {
      const { message } = registerScript('Done.');
      const call = { name: 'scripted', arguments: { message: message() } };
      const answer = await requestResult(via, 'tools/call', call, { capabilities: { extensions } });
      expect(answer.error === undefined ? answer.resultType : 'refused').not.toBe('task');
    },
  );
});

describe('an endpoint', () => {
  it('declares the extension if it publishes agents, and otherwise has no tasks', async () => {
    const readCapabilities = async (send: typeof via) =>
      Object(await requestResult(send, 'server/discover', {})).capabilities;
    const tools = createEndpointApp({ tools: [hello] });
    expect(await readCapabilities(via)).toEqual({
      logging: {},
      tools: {},
      resources: {},
      completions: {},
      extensions: { [TASKS_EXTENSION]: {} },
    });
    expect(await readCapabilities(tools)).toEqual({ logging: {}, tools: {} });
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update', 'tasks/list', 'tasks/result']) {
      expect(await requestResult(tools, method, { taskId: 'any' })).toEqual({
        error: { code: -32601, message: 'Method not found' },
      });
    }
    for (const method of ['tasks/list', 'tasks/result']) {
      expect(await requestResult(via, method, { taskId: 'any' })).toEqual({
        error: { code: -32601, message: 'Method not found' },
      });
    }
  });

  it('never creates a task for a tool, because a tool has no session', async () => {
    expect(
      await requestResult(via, 'tools/call', { name: 'hello', arguments: {}, task: { ttl: 60_000 } }),
    ).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: 'Hello.' }],
    });
  });

  it('refuses a task if the header identifies another task', async () => {
    const { message } = registerScript('Done.');
    const { taskId } = await startTask(via, 'scripted', { message: message() });
    const response = await sendRequest(via, 'tasks/get', { taskId }, { headers: { 'mcp-name': 'other' } });
    const { error } = Object(await response.json());
    expect([response.status, error.code]).toEqual([400, -32020]);
  });
});

const encodeTaskId = (...parts: readonly string[]): string =>
  btoa(parts.join('/')).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

describe('a task id', () => {
  const createMissingTask = (id = '') => ({
    error: {
      code: -32602,
      message: `There is no task '${id.length > 80 ? `${id.slice(0, 79)}…` : id}'. A task is deleted with its session.`,
    },
  });
  const unknown = [
    ['no id of ours', 'tasks-conformance-nonexistent-12345'],
    ['none at all', ''],
    ['a published tool', encodeTaskId('hello', 's-1', 'aa', 'new')],
    ['nothing published', encodeTaskId('marathon', 's-1', 'aa', 'new')],
    ['a property of every object', encodeTaskId('__proto__', 's-1', 'aa', 'new')],
    ['an invalid session', encodeTaskId('scripted', 'a b', 'aa', 'new')],
    ['a session that never was', encodeTaskId('scripted', 's-never-was', 'aa', 'new')],
    ['no turn', encodeTaskId('scripted', 's-1', '', 'new')],
    ['one part too many', encodeTaskId('scripted', 's-1', 'aa', 'bb', 'new')],
    ['another end', encodeTaskId('scripted', 's-1', 'aa', 'maybe')],
    ['text beyond ASCII', 'äöü-✓'],
  ] as const;

  it.each(['tasks/get', 'tasks/cancel'])('is unknown to %s if it does not exist', async (method) => {
    for (const [, id] of unknown) {
      const headers = { 'mcp-name': `=?base64?${Buffer.from(id).toString('base64')}?=` };
      expect(await requestResult(via, method, { taskId: id }, { headers })).toEqual(createMissingTask(id));
    }
    const huge = 'A'.repeat(5_000);
    expect(await requestResult(via, method, { taskId: huge })).toEqual(createMissingTask(huge));
    for (const taskId of [undefined, null, 5, {}, ['a']]) {
      expect(await requestResult(via, method, { taskId })).toEqual({
        error: { code: -32602, message: '`taskId` must be the id in the response to a call.' },
      });
    }
  });

  it('is unknown, and cannot be cancelled, if it belongs to another caller or tenant', async () => {
    const shared = createEndpointApp(
      { agents: ['scripted'] },
      {
        auth: ({ headers }) => ({
          id: headers.get('x-user') ?? 'nobody',
          ...(headers.has('x-tenant') && { tenant: headers.get('x-tenant') ?? '' }),
        }),
      },
    );
    const answer = createHeldReply('For Ada.');
    const { message } = registerScript(answer.reply);
    const ada = { headers: { 'x-user': 'ada', 'x-tenant': 'acme' } };
    const { taskId } = await startTask(shared, 'scripted', { message: message() }, ada);
    await answer.asked();
    for (const headers of [
      { 'x-user': 'ada', 'x-tenant': 'globex' },
      { 'x-user': 'ada' },
      { 'x-user': 'acme' },
    ] as const) {
      for (const method of ['tasks/get', 'tasks/cancel']) {
        expect(await requestResult(shared, method, { taskId }, { headers })).toEqual(
          createMissingTask(taskId),
        );
      }
    }
    answer.release();
    const colleague = { headers: { 'x-user': 'bob', 'x-tenant': 'acme' } };
    expect(getTexts((await pollUntil(shared, taskId, 'completed', colleague)).result)[0]).toBe('For Ada.');
  });

  it('is unknown if its session was erased', async () => {
    const id = createSessionId();
    const { message } = registerScript('Done.');
    const { taskId = '' } = await startTask(via, 'scripted', { message: message(), session: id });
    await pollUntil(via, taskId, 'completed');
    expect((await via(getSessionPath(id), { method: 'DELETE' })).status).toBe(204);
    expect(await requestResult(via, 'tasks/get', { taskId })).toEqual(createMissingTask(taskId));
    expect(await requestResult(via, 'tasks/cancel', { taskId })).toEqual(createMissingTask(taskId));
  });
});
