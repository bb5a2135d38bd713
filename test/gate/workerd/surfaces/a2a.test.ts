/** A2A with its official client over the real Durable Object. Each stream ends with the journal's content. */
import { type Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { describe, expect, it } from 'vitest';
import type { HoldfastConfig } from '../../../../src/create-holdfast.ts';
import { a2a } from '../../../../src/examples/a2a/a2a.ts';
import { content, defineAgent, defineTool, image } from '../../../../src/index.ts';
import { humanInput } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { registerSpeaking, WAIT } from '../../../fixtures/speaking.ts';
import { createTestApp } from '../http/app.ts';
import { ORIGIN, readJson, type Send } from '../http/client.ts';
import { createFileModel, MEDIA_TYPES } from '../http/file-app.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PIXEL_BYTES = Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0));

const desk = defineAgent({
  name: 'desk',
  description: 'Draws and asks.',
  instructions: '',
  model: modelBySession,
  tools: [
    defineTool({
      name: 'draw',
      description: 'Draws.',
      run: () => content(['Here:', image(PIXEL_BYTES, 'image/png')]),
    }),
    humanInput(),
  ],
});
const seer = defineAgent({
  name: 'seer',
  description: 'Sees.',
  instructions: '',
  model: createFileModel(MEDIA_TYPES),
});

const createApp = (config: Partial<HoldfastConfig> = {}, vars = {}): Send =>
  createTestApp(
    {
      agents: [scripted, clerk, desk, seer],
      use: [a2a({ agents: ['scripted', 'clerk', 'desk', 'seer'] }), files()],
      ...config,
    },
    vars,
  );

/** The official client, created from an agent's card. */
async function createTestClient(agent: string, via: Send = createApp()) {
  const fetchImpl: typeof fetch = async (url, init) => via(String(url), init as RequestInit);
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  const talk = await factory.createFromUrl(`${ORIGIN}/a2a/${agent}/`);
  const send = async (said: SentText, more: Partial<Message> = {}, config = {}): Promise<Task> => {
    const answer = await talk.sendMessage(createRequest(said, more, config));
    if (!('status' in answer)) throw new Error('The agent returned a message instead of a task.');
    return answer;
  };
  return {
    talk,
    send,
    stream: (said: SentText, more: Partial<Message> = {}) =>
      talk.sendMessageStream(createRequest(said, more)),
  };
}

type SentText = string | object | Message['parts'];

const createTextPart = (value: string): Message['parts'][number] => createPart({ $case: 'text', value });
const createPart = (given: NonNullable<Message['parts'][number]['content']>, mediaType = '') => ({
  content: given,
  metadata: undefined,
  filename: '',
  mediaType,
});

function createRequest(said: SentText, more: Partial<Message>, config = {}) {
  const parts =
    typeof said === 'string'
      ? [createTextPart(said)]
      : Array.isArray(said)
        ? said
        : [createPart({ $case: 'data', value: said })];
  return {
    tenant: '',
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: false,
      ...config,
    },
    metadata: undefined,
  };
}

/** Reads the first event of a stream, which contains its task. */
async function startTask(stream: AsyncGenerator<StreamResponse>): Promise<string> {
  const { value } = await stream.next();
  return value.payload.value.id;
}

/** Returns the final task of a client that reads a stream, and the kinds of its events. */
async function readStream(stream: AsyncIterable<StreamResponse>) {
  const kinds: string[] = [];
  const artifacts = new Map<string, Message['parts']>();
  let state: TaskState | undefined;
  let task: Task | undefined;
  let last: Message | undefined;
  for await (const { payload } of stream) {
    if (payload?.$case === 'task') {
      task = payload.value;
      for (const { artifactId, parts } of task.artifacts) artifacts.set(artifactId, parts);
      state = task.status?.state;
    }
    if (payload?.$case === 'statusUpdate') {
      state = payload.value.status?.state;
      last = payload.value.status?.message;
    }
    if (payload?.$case === 'artifactUpdate') {
      const { artifact, append } = payload.value;
      const { artifactId = '', parts = [] } = artifact ?? {};
      artifacts.set(artifactId, [...((append && artifacts.get(artifactId)) || []), ...parts]);
    }
    const kind = payload?.$case ?? '';
    if (kind !== kinds.at(-1)) kinds.push(kind);
  }
  return { kinds, artifacts, state, task, last, answer: joinText(artifacts.get('answer')) };
}

const joinText = (parts: Message['parts'] = []): string =>
  parts.map(({ content: one }) => (one?.$case === 'text' ? one.value : '')).join('');
const getData = (message: Message | undefined): Record<string, unknown> =>
  Object(message?.parts.find(({ content: one }) => one?.$case === 'data')?.content?.value);
const getAnswerText = ({ artifacts }: Task): string =>
  joinText(artifacts.find(({ artifactId }) => artifactId === 'answer')?.parts);

const addReply = { calls: [{ name: 'add', input: { a: 1, b: 2 } }] };

describe('an agent card', () => {
  it('is public, and links to its agent', async () => {
    const via = createApp({}, { HOLDFAST_TOKEN: 'secret' });
    const { talk } = await createTestClient('clerk', via);
    expect(await talk.getAgentCard()).toMatchObject({
      name: 'clerk',
      description: 'Pays when it may.',
      supportedInterfaces: [
        { url: `${ORIGIN}/a2a/clerk`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      securitySchemes: {
        bearer: { scheme: { $case: 'httpAuthSecurityScheme', value: { scheme: 'Bearer' } } },
      },
    });
    const first = await readJson(await via('/.well-known/agent-card.json'));
    expect(first.name).toBe('scripted');
    await expect(createTestClient('clerk', via).then(({ send }) => send('Hello'))).rejects.toThrow(
      'Send a valid token as "Authorization: Bearer ...".',
    );
  });

  it('exists only for the listed agents', async () => {
    const via = createApp({ use: [a2a({ agents: ['clerk'] })] });
    expect((await via('/a2a/scripted/.well-known/agent-card.json')).status).toBe(404);
    expect((await via('/a2a/clerk/.well-known/agent-card.json')).status).toBe(200);
  });
});

describe('a task', () => {
  it('can have several iterations, and returns the journaled answer', async () => {
    const { send, talk } = await createTestClient('scripted');
    const task = await send(registerScript({ text: 'I add.', ...addReply }, addReply, 'Three.').message());
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(getAnswerText(task)).toBe('Three.');
    expect(task.history.map(({ role, parts }) => [role, joinText(parts)])).toEqual([
      [Role.ROLE_USER, expect.stringContaining('Hello')],
      [Role.ROLE_AGENT, 'I add.'],
      [Role.ROLE_AGENT, 'Three.'],
    ]);
    const [session, turn] = task.id.split('~');
    expect(session).toBe(task.contextId);
    const answer = await readJson(await createApp()(`/agents/scripted/sessions/${session}/turns/${turn}`));
    expect(answer).toMatchObject({ outcome: 'completed', text: 'Three.' });
    const again = await talk.getTask({ tenant: '', id: task.id, historyLength: 1 });
    expect([again.status, again.artifacts]).toEqual([task.status, task.artifacts]);
    expect(again.history).toEqual(task.history.slice(-1));
  });

  it('is streamed with its calls and its text deltas', async () => {
    const { stream } = await createTestClient('scripted');
    const told = await readStream(
      stream(registerScript({ text: 'I add.', ...addReply }, 'Three.').message()),
    );
    expect(told.kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate', 'artifactUpdate', 'statusUpdate']);
    expect([told.answer, told.state]).toEqual(['Three.', TaskState.TASK_STATE_COMPLETED]);
  });

  it('belongs to its context, and a repeated message returns the same task', async () => {
    const { send } = await createTestClient('scripted');
    const { message, model } = registerScript('One.', 'Two.');
    const said = message();
    const messageId = `m-${crypto.randomUUID()}`;
    const first = await send(said, { messageId });
    const { contextId } = first;
    expect(contextId).toMatch(/^[0-9a-f]{64}$/);
    const second = await send('Go on.', { contextId });
    expect(second.contextId).toBe(contextId);
    expect(getAnswerText(second)).toBe('Two.');
    const again = await send(said, { messageId });
    expect([again.id, getAnswerText(again)]).toEqual([first.id, 'One.']);
    expect(model.requests).toHaveLength(2);
  });

  it('accepts an image, and returns an image as a readable URL', async () => {
    const seen = await createTestClient('seer');
    const picture = createPart({ $case: 'raw', value: Buffer.from(PIXEL_BYTES) }, 'image/png');
    expect(getAnswerText(await seen.send([createTextPart('What is it?'), picture]))).toBe('Seen.');
    const via = createApp();
    const drawing = await createTestClient('desk', via);
    const drawn = await drawing.send(registerScript({ calls: [{ name: 'draw' }] }, 'Drawn.').message());
    const [shown] = drawn.artifacts
      .flatMap(({ parts }) => parts)
      .filter(({ mediaType }) => mediaType === 'image/png');
    const file = await via(String(shown?.content?.value));
    expect(new Uint8Array(await file.arrayBuffer())).toEqual(PIXEL_BYTES);
  });

  it('fails if the turn failed', async () => {
    const { send } = await createTestClient('scripted');
    const task = await send('No script is named here.');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED);
    expect(joinText(task.status?.message?.parts)).toBe('No model is registered for this session.');
  });

  it('runs in the background on request, and is polled later', async () => {
    const { send, talk } = await createTestClient('scripted');
    const slow = createHeldReply('Done.');
    const task = await send(registerScript(slow.reply).message(), {}, { returnImmediately: true });
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    await slow.asked();
    const { id } = task;
    expect((await talk.getTask({ tenant: '', id })).status?.state).toBe(TaskState.TASK_STATE_WORKING);
    slow.release();
    expect(await readStream(talk.resubscribeTask({ tenant: '', id }))).toMatchObject({ answer: 'Done.' });
  });

  it('is cancelled once, and a finished task cannot be cancelled or resubscribed to', async () => {
    const { stream, talk } = await createTestClient('scripted');
    const slow = createHeldReply('Never.');
    const running = stream(registerScript(slow.reply).message());
    const id = await startTask(running);
    await slow.asked();
    const cancelled = await talk.cancelTask({ tenant: '', id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await readStream(running)).state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(talk.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toMatchObject({
      name: 'TaskNotCancelableError',
      message: 'The task has ended, so it cannot be cancelled.',
    });
    await expect(readStream(talk.resubscribeTask({ tenant: '', id }))).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
      message: 'The task has ended. GetTask returns its outcome.',
    });
  });

  it('has the text from before its cancellation in its history', async () => {
    const { stream, talk } = await createTestClient('scripted');
    const { model, message } = registerSpeaking(['It is ', 'in ', WAIT]);
    const running = stream(message());
    const id = await startTask(running);
    const reading = readStream(running);
    await model.waiting();
    await talk.cancelTask({ tenant: '', id, metadata: undefined });
    await reading;
    const { history } = await talk.getTask({ tenant: '', id, historyLength: 5 });
    expect(history?.at(-1)).toMatchObject({ parts: [{ content: { value: 'It is in ' } }] });
  });

  it('can be resubscribed to after a lost stream, with the same answer', async () => {
    const { stream, talk } = await createTestClient('scripted');
    const slow = createHeldReply('Three.');
    const lost = stream(registerScript(addReply, slow.reply).message());
    const id = await startTask(lost);
    await slow.asked();
    await lost.return(undefined);
    const again = talk.resubscribeTask({ tenant: '', id });
    expect(await startTask(again)).toBe(id);
    slow.release();
    expect(await readStream(again)).toMatchObject({
      answer: 'Three.',
      state: TaskState.TASK_STATE_COMPLETED,
    });
    expect(getAnswerText(await talk.getTask({ tenant: '', id }))).toBe('Three.');
  });

  it('is visible only to its caller', async () => {
    const createClientFor = (id: string) => createTestClient('scripted', createApp({ auth: () => ({ id }) }));
    const [ada, ben] = [await createClientFor('ada'), await createClientFor('ben')];
    const { id } = await ada.send(registerScript('Hers.').message());
    await expect(ben.talk.getTask({ tenant: '', id })).rejects.toMatchObject({ name: 'TaskNotFoundError' });
    expect(getAnswerText(await ada.talk.getTask({ tenant: '', id }))).toBe('Hers.');
  });
});

describe('a task that asks', () => {
  const createPayReply = (to: string, tool = 'pay') => ({
    calls: [{ name: tool, input: { to, amount: 1 } }],
  });

  async function askToPay(tool = 'pay', ...replies: string[]) {
    const to = crypto.randomUUID();
    const one = await createTestClient('clerk');
    const task = await one.send(registerScript(createPayReply(to, tool), ...replies).message());
    return {
      ...one,
      to,
      task,
      asked: getData(task.status?.message),
      more: { taskId: task.id, contextId: task.contextId },
    };
  }

  it('shows its question, in text and as data', async () => {
    const { task, asked } = await askToPay();
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(joinText(task.status?.message?.parts)).toBe('May I pay?');
    expect(asked).toEqual({
      call: expect.stringMatching(/^[0-9a-f]{16}\.\d+\.0$/),
      tool: 'pay',
      input: expect.any(Object),
      for: 'decision',
      message: 'May I pay?',
      allows: ['approve', 'edit', 'reject', 'exit'],
      schema: expect.any(Object),
    });
  });

  it.each([
    ['approved', { decision: 'approve' }, [1]],
    ['edited', (to: string) => ({ decision: 'edit', input: { to, amount: 7 } }), [7]],
    ['denied', { decision: 'reject', reason: 'Too much.' }, []],
  ])('is %s', async (_, decision, paid) => {
    const { stream, to, asked, more } = await askToPay('pay', 'Done.');
    const said = typeof decision === 'function' ? decision(to) : decision;
    const told = await readStream(stream({ call: asked.call, ...said }, more));
    expect([told.state, told.answer, listPaymentsTo(to)]).toEqual([
      TaskState.TASK_STATE_COMPLETED,
      'Done.',
      paid,
    ]);
    expect(told.task?.id).toBe(more.taskId);
  });

  it('is answered only once, even if the answer is repeated', async () => {
    const { send, to, asked, more } = await askToPay('pay', 'Done.');
    const yes = { call: asked.call, decision: 'approve' };
    const answered = { ...more, messageId: crypto.randomUUID() };
    const first = await send(yes, answered);
    const again = await send(yes, answered);
    expect([again.id, again.status, getAnswerText(again)]).toEqual([first.id, first.status, 'Done.']);
    expect(listPaymentsTo(to)).toEqual([1]);
    await expect(send({ ...yes, decision: 'reject' }, more)).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
      message: expect.stringContaining('This question has already been answered.'),
    });
  });

  it('is never approved by text, because text is ambiguous', async () => {
    const { send, to, more } = await askToPay('pay', 'Done.');
    for (const said of ['yes', 'Approved!'])
      await expect(send(said, more)).rejects.toMatchObject({
        name: 'RequestMalformedError',
        message:
          'The message does not answer the task. Send parts { data: { call, decision: approve, edit, reject or exit, input, reason } }, or for a ' +
          'result { data: { call, result } }. The status of the task names the calls.',
      });
    expect(listPaymentsTo(to)).toEqual([]);
  });

  it('reports an invalid answer, as the session does', async () => {
    const { send, asked, more } = await askToPay();
    await expect(send({ call: asked.call, decision: 'maybe' }, more)).rejects.toThrow(
      'The body is not valid: answers[0].decision: must be approve, edit, reject or exit.',
    );
    await expect(send({ call: 'none', decision: 'approve' }, more)).rejects.toThrow("no call 'none'");
  });

  it('accepts text if the question asks for text, or for a tool’s result', async () => {
    const person = await createTestClient('desk');
    const question = { calls: [{ name: 'human_input', input: { question: 'Which color?' } }] };
    const { message, model } = registerScript(question, 'Blue it is.');
    const task = await person.send(message());
    const { id: taskId } = task;
    expect(joinText(task.status?.message?.parts)).toContain('Which color?');
    expect(getAnswerText(await person.send('Blue.', { taskId }))).toBe('Blue it is.');
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain('Blue.');

    const tool = await createTestClient('clerk');
    const looking = registerScript({ calls: [{ name: 'look_up', input: { id: 'o1' } }] }, 'Twelve.');
    const waiting = await tool.send(looking.message());
    expect(getData(waiting.status?.message)).toMatchObject({ tool: 'look_up', for: 'result' });
    expect(getAnswerText(await tool.send('12.5', { taskId: waiting.id }))).toBe('Twelve.');
    expect(looking.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ text: '12.5' });
  });

  it('asks two questions, and one message answers both', async () => {
    const to = crypto.randomUUID();
    const { send } = await createTestClient('clerk');
    const calls = [1, 2].map((amount) => ({ name: 'pay', input: { to, amount } }));
    const { id: taskId, status } = await send(registerScript({ calls }, 'Both.').message());
    const asked = status?.message?.parts.flatMap(({ content: one }) =>
      one?.$case === 'data' ? [one.value.call] : [],
    );
    const decided = asked?.map((call, place) =>
      createPart({ $case: 'data', value: { call, decision: place === 0 ? 'approve' : 'reject' } }),
    );
    expect(getAnswerText(await send(decided ?? [], { taskId }))).toBe('Both.');
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('asks two consecutive questions with two numbers', async () => {
    const { send, to, asked, more } = await askToPay('pay_twice_asked', 'Done.');
    const second = await send({ call: asked.call, decision: 'approve' }, more);
    const { call, question } = getData(second.status?.message);
    expect([call, question, listPaymentsTo(to)]).toEqual([asked.call, 2, []]);
    expect(getAnswerText(await send({ call, question, decision: 'approve' }, more))).toBe('Done.');
    expect(listPaymentsTo(to)).toEqual([1]);
  });

  it('reserves its context until it is answered or cancelled', async () => {
    const { send, talk, more, task } = await askToPay();
    const { contextId } = more;
    await expect(send('And now?', { contextId })).rejects.toMatchObject({
      name: 'UnsupportedOperationError',
      message: `Task '${task.id}' waits for an answer. Answer it, or cancel the task.`,
    });
    await expect(send('Yes', { ...more, contextId: 'another' })).rejects.toThrow(
      `Task '${task.id}' does not belong to the context 'another'.`,
    );
    const cancelled = await talk.cancelTask({ tenant: '', id: task.id, metadata: undefined });
    expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(send('Yes', more)).rejects.toThrow(
      `Task '${task.id}' has ended and is not waiting for an answer. Send the message without a task id.`,
    );
  });
});

describe('an invalid request', () => {
  const callRpc = async (body: unknown, headers = {}, agent = 'scripted') => {
    const response = await createApp()(`/a2a/${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const { id, error } = await readJson(response);
    return [response.status, id, Object(error).code, Object(error).message];
  };
  const createRpcCall = (method: string, params: unknown = {}) => ({
    jsonrpc: '2.0',
    id: 'r1',
    method,
    params,
  });
  const PARTS = 'message.parts must be a list of { text }, { data }, { url } or { raw }';
  const said = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] };

  it.each<[string, unknown, [number, string | null, number, string]]>([
    ['invalid JSON', '{', [400, null, -32700, 'The body is not JSON.']],
    [
      'a batch',
      [createRpcCall('GetTask')],
      [422, null, -32602, 'The body is not valid: it must be a JSON object.'],
    ],
    [
      'a body that is not JSON-RPC',
      { method: 'GetTask' },
      [200, null, -32600, "The body is not JSON-RPC 2.0. Send { jsonrpc: '2.0', id, method, params }."],
    ],
    ['invalid params', createRpcCall('GetTask', [1]), [200, 'r1', -32602, 'params must be an object.']],
    [
      'a method of A2A 0.3',
      createRpcCall('message/send'),
      [
        200,
        'r1',
        -32601,
        'This method is unknown. Use SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask or SubscribeToTask of A2A 1.0.',
      ],
    ],
    [
      'a missing message',
      createRpcCall('SendMessage'),
      [
        200,
        'r1',
        -32602,
        `The params are not valid: message.messageId must be 1 to 255 visible ASCII characters; message.role must be 'ROLE_USER'; ${PARTS}.`,
      ],
    ],
    [
      'a part with two kinds',
      createRpcCall('SendMessage', {
        message: { ...said, parts: [{ text: 'a', url: 'https://b.example' }] },
      }),
      [200, 'r1', -32602, `The params are not valid: ${PARTS}.`],
    ],
    [
      'a context that is not a valid session',
      createRpcCall('SendMessage', { message: { ...said, contextId: 'a b' } }),
      [200, 'r1', -32602, expect.stringContaining('session') as never],
    ],
    [
      'push notifications',
      createRpcCall('SendMessage', { message: said, configuration: { taskPushNotificationConfig: {} } }),
      [200, 'r1', -32003, 'Push notifications are not supported. Use SubscribeToTask or GetTask.'],
    ],
    [
      'a webhook',
      createRpcCall('CreateTaskPushNotificationConfig'),
      [200, 'r1', -32003, 'Push notifications are not supported. Use SubscribeToTask or GetTask.'],
    ],
    [
      'a file that its agent does not accept',
      createRpcCall('SendMessage', { message: { ...said, parts: [{ raw: PNG, mediaType: 'image/png' }] } }),
      [200, 'r1', -32005, expect.any(String) as never],
    ],
    [
      'a missing task id',
      createRpcCall('GetTask'),
      [200, 'r1', -32602, 'The params are not valid: id must be the id of a task.'],
    ],
    ['an invalid task', createRpcCall('GetTask', { id: 'x' }), [200, 'r1', -32001, "There is no task 'x'."]],
    [
      'a task of an unknown session',
      createRpcCall('CancelTask', { id: 'none~t' }),
      [200, 'r1', -32001, expect.stringContaining("There is no session 'none'") as never],
    ],
    [
      'a list from an app without an index',
      createRpcCall('ListTasks'),
      [200, 'r1', -32004, 'This agent does not list tasks. Store their ids, and use GetTask.'],
    ],
    [
      'an extended card',
      createRpcCall('GetExtendedAgentCard'),
      [200, 'r1', -32007, 'This agent has no extended card.'],
    ],
    [
      'a history of -1',
      createRpcCall('GetTask', { id: 'a~b', historyLength: -1 }),
      [200, 'r1', -32602, 'The params are not valid: historyLength must be a whole number of at least 0.'],
    ],
  ])('with %s is refused', async (_, body, refusal) => {
    expect(await callRpc(body)).toEqual(refusal);
  });

  it('with another version, or for an agent that the surface does not serve, is refused', async () => {
    expect(await callRpc(createRpcCall('GetTask'), { 'a2a-version': '0.3' })).toEqual([
      200,
      'r1',
      -32009,
      'A2A 0.3 is not supported. Use 1.0.',
    ]);
    expect(await callRpc(createRpcCall('GetTask'), {}, 'nobody')).toEqual([
      200,
      'r1',
      -32602,
      'This agent does not support A2A.',
    ]);
  });

  it('is refused if its context or its task is still running', async () => {
    const { stream, send } = await createTestClient('scripted');
    const slow = createHeldReply('Done.');
    const running = stream(registerScript(slow.reply).message(), {
      messageId: 'm1',
      contextId: `busy-${crypto.randomUUID()}`,
    });
    const taskId = await startTask(running);
    await slow.asked();
    const [contextId = ''] = taskId.split('~');
    await expect(send('Me too', { contextId })).rejects.toMatchObject({ name: 'UnsupportedOperationError' });
    await expect(send('Me too', { taskId })).rejects.toThrow(
      `Task '${taskId}' is running and is not waiting for an answer. Send the message without a task id.`,
    );
    slow.release();
    await readStream(running);
  });
});
