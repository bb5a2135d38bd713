/** The error texts that people see in each protocol, over the real app and its objects. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../../../src/create-holdfast.ts';
import { a2a } from '../../../../src/examples/a2a/a2a.ts';
import { agUi } from '../../../../src/examples/ag-ui/ag-ui.ts';
import { content, defineAgent, defineTool, error, image, ModelError } from '../../../../src/index.ts';
import type { Tell } from '../../../../src/module.ts';
import { defineManualTool } from '../../../../src/modules/answers/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { askFirst } from '../../../fixtures/asks-first.ts';
import { modelBySession, registerScript } from '../../../fixtures/scripts.ts';
import { copyAsJson, findToolName, getLastParts, loadMessages, openChat } from '../../../fixtures/ui-chat.ts';
import { type AppConfig, createTestApp } from '../http/app.ts';
import { readJson, type Send } from '../http/client.ts';
import { PIXEL_BYTES } from './desk.ts';

const INTERNAL_TEXT = 'HTTP 500 of https://models.internal: quota of key sk-1 is used up';

const sayNo = defineTool({
  name: 'say_no',
  description: 'Returns an error.',
  effect: 'read',
  run: () => error(INTERNAL_TEXT),
});
const throwingTool = defineTool({
  name: 'fall',
  description: 'Throws.',
  effect: 'read',
  run: () => {
    throw new Error(INTERNAL_TEXT);
  },
});
const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  effect: 'read',
  run: () => content(['A pixel:', image(PIXEL_BYTES, 'image/png', 'dot.png')]),
});
const sketch = defineTool({
  name: 'sketch',
  description: 'Draws the answer.',
  effect: 'read',
  returnDirect: true,
  run: () => content(['A pixel:', image(PIXEL_BYTES, 'image/png', 'dot.png')]),
});
const pay = askFirst(defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' }));
const where = defineManualTool({ name: 'where', description: 'Is run by the page.' });

const desk = defineAgent({
  name: 'desk',
  description: 'Fails in several ways.',
  instructions: 'Follow the script.',
  tools: [sayNo, throwingTool, draw, sketch, pay, where],
  model: modelBySession,
});

/** An agent for which the deployment has no model. */
const agentWithoutModel = defineAgent({
  name: 'unset',
  description: 'Has no model.',
  instructions: '',
  model: () => {
    throw new ConfigurationError('The var INTERNAL_MODEL_URL of models.internal is not set.');
  },
});

/** The surfaces of an app with its own callers, on its production host. */
function createDeployment(tell?: Tell, config: AppConfig = {}, origin = 'https://desk.example'): Send {
  const words = tell ? { tell } : {};
  const via = createTestApp({
    agents: [desk, agentWithoutModel],
    use: [aiSdkUi(words), openAi(words), agUi(words), a2a({ agents: ['desk'], ...words }), files()],
    auth: () => ({ id: 'ada' }),
    ...config,
  });
  return (path, init) => via(path.startsWith('/') ? `${origin}${path}` : path, init);
}

function createChat(via: Send, ...replies: readonly ScriptedReply[]) {
  const { message, model } = registerScript(...replies);
  const id = crypto.randomUUID();
  const { chat } = openChat({ version: 7, agent: 'desk', via, id, sends: 'both' });
  const readLastLoaded = async () => (await loadMessages(via, { agent: 'desk', id, version: 7 })).at(-1);
  return { chat, model, loaded: readLastLoaded, say: () => chat.sendMessage({ text: message() }) };
}

const createModelFailure = (): ModelError => new ModelError('bad-request', INTERNAL_TEXT);
const callReply = (name: string): ScriptedReply => ({ calls: [{ name }] });

const post = (via: Send, path: string, body: object) =>
  via(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('a page with useChat', () => {
  it('shows a short sentence for a failed turn, and the log has the provider’s error', async () => {
    const lines: string[] = [];
    const via = createDeployment(undefined, { log: ({ message }) => void lines.push(message ?? '') });
    const { chat, loaded, say } = createChat(via, createModelFailure());
    await say();
    expect(chat.error?.message).toBe('The model is not available right now.');
    const { error } = Object(chat.messages.at(-1)?.metadata);
    expect(error).toEqual({ type: 'model-failure', message: 'The model is not available right now.' });
    expect((await loaded())?.metadata).toMatchObject({ error });
    expect(lines.join('\n')).toContain(INTERNAL_TEXT);
  });

  it.each(['say_no', 'fall'])(
    'shows a short sentence for a call of %s, whose error the model reads',
    async (name) => {
      const { chat, model, loaded, say } = createChat(createDeployment(), callReply(name), 'Sorry.');
      await say();
      const failed = expect.objectContaining({ state: 'output-error', errorText: 'The tool failed.' });
      expect(getLastParts(chat)).toContainEqual(failed);
      expect((await loaded())?.parts).toContainEqual(failed);
      expect(JSON.stringify([chat.messages, await loaded()])).not.toContain('models.internal');
      const read = model.requests.at(-1)?.messages.at(-1)?.text;
      expect(read).toContain(INTERNAL_TEXT);
    },
  );

  it('shows the reason of a declined call, and its own error for a call that it ran', async () => {
    const { chat, loaded, say } = createChat(
      createDeployment(),
      callReply('pay'),
      callReply('where'),
      'Then not.',
    );
    await say();
    const [asked] = getLastParts(chat).filter(findToolName);
    await chat.addToolApprovalResponse({
      id: String(asked?.toolCallId),
      approved: false,
      reason: 'Too much.',
    });
    await expect
      .poll(() => getLastParts(chat).at(-1))
      .toMatchObject({ type: 'tool-where', state: 'input-available' });
    await expect.poll(() => chat.status).toBe('ready');
    const toolCallId = getLastParts(chat).at(-1)?.toolCallId;
    await chat.addToolOutput({ tool: 'where', toolCallId, state: 'output-error', errorText: 'No signal.' });
    await expect.poll(() => getLastParts(chat).at(-1)).toMatchObject({ text: 'Then not.' });
    const ended = (await loaded())?.parts.filter(findToolName);
    expect(ended).toMatchObject([
      { state: 'output-denied', approval: { approved: false, reason: 'Too much.' } },
      { state: 'output-error', errorText: 'No signal.' },
    ]);
  });

  it('shows a tool’s text and its file, but not the line for the model', async () => {
    const { chat, loaded, model, say } = createChat(createDeployment(), callReply('draw'), 'There.');
    await say();
    expect(getLastParts(chat)).toContainEqual(
      expect.objectContaining({ type: 'tool-draw', output: 'A pixel:' }),
    );
    expect((await loaded())?.parts).toEqual(getLastParts(chat));
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toMatch(/^A pixel:\s+\[file /);
    const direct = createChat(createDeployment(), callReply('sketch'));
    await direct.say();
    expect(getLastParts(direct.chat).at(-1)).toEqual({ type: 'text', text: 'A pixel:', state: 'done' });
    expect((await direct.loaded())?.parts).toEqual(getLastParts(direct.chat));
  });

  it('shows a person that a question is open, and a program how to continue', async () => {
    const via = createDeployment();
    const { chat, say } = createChat(via, callReply('pay'));
    await say();
    const message = { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'And?' }] };
    const askWithHeaders = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ id: chat.id, messages: [message] });
      const sent = { 'content-type': 'application/json', ...headers };
      const response = await via('/agents/desk/chat', { method: 'POST', headers: sent, body });
      return [response.status, await response.text()];
    };
    expect(await askWithHeaders({ 'sec-fetch-site': 'same-origin' })).toEqual([
      409,
      'A question must be answered first.',
    ]);
    expect(await askWithHeaders({})).toEqual([409, expect.stringContaining("pending: 'decline'")]);
  });

  it('shows an invalid field and a busy session, and hides gaps in the deployment', async () => {
    const via = createDeployment();
    const wrong = await post(via, '/agents/desk/chat', { id: 'c1', messages: [] });
    expect([wrong.status, await wrong.text()]).toEqual([
      422,
      'The body is not valid: messages: must be a list that holds at least one message.',
    ]);
    const { chat, say } = createChat(via, callReply('pay'));
    await say();
    await chat.sendMessage({ text: 'And?' });
    expect(chat.error?.message).toContain('waits for an answer from outside');
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };
    const lacking = await post(via, '/agents/unset/chat', { id: 'c1', messages: [message] });
    expect([lacking.status, await lacking.text()]).toEqual([500, 'This service is not set up correctly.']);
  });

  it('shows the result of `tell`, which receives the problem and the error of the turn or call', async () => {
    const told: unknown[] = [];
    const via = createDeployment((problem) => {
      told.push(copyAsJson(problem));
      return `${problem.type}: sorry.`;
    });
    const { chat, say } = createChat(via, callReply('fall'), createModelFailure());
    await say();
    expect(chat.error?.message).toBe('model-failure: sorry.');
    expect(getLastParts(chat)).toContainEqual(expect.objectContaining({ errorText: 'tool-error: sorry.' }));
    expect(told).toContainEqual({
      type: 'model-failure',
      title: 'The model is not available right now.',
      detail: INTERNAL_TEXT,
      status: 502,
      error: 'model-failure',
    });
    expect(told).toContainEqual({
      type: 'tool-error',
      title: 'The tool failed.',
      detail: expect.stringContaining(INTERNAL_TEXT),
      status: 502,
      reason: 'threw',
    });
    const missing = await via('/agents/nobody/chat/c1/messages');
    expect(await missing.text()).toBe('unknown-agent: sorry.');
  });

  it('shows the title if `tell` throws, or returns no text', async () => {
    for (const tell of [() => undefined as never, () => Object(undefined).nothing.there] satisfies Tell[]) {
      const { chat, say } = createChat(createDeployment(tell), createModelFailure());
      await say();
      expect(chat.error?.message).toBe('The model is not available right now.');
    }
  });

  it('shows every detail on the developer’s machine, unless a proxy forwarded the request', async () => {
    const own = createChat(createDeployment(undefined, {}, 'http://localhost'), createModelFailure());
    await own.say();
    expect(own.chat.error?.message).toBe(INTERNAL_TEXT);
    const local = createDeployment(undefined, {}, 'http://localhost');
    const sendThroughTunnel: Send = (path, init) => {
      const headers = new Headers(init?.headers);
      headers.set('x-forwarded-for', '203.0.113.7');
      return local(path, { ...init, headers });
    };
    const passed = createChat(sendThroughTunnel, createModelFailure());
    await passed.say();
    expect(passed.chat.error?.message).toBe('The model is not available right now.');
  });
});

describe('a surface', () => {
  it.each([
    ['aiSdkUi', () => aiSdkUi({ tell: 'title' as never })],
    ['openAi', () => openAi({ tell: 'title' as never })],
  ])('%s refuses a `tell` that is not a function', (name, make) => {
    expect(make).toThrow(`${name} has a string as its 'tell'. Use a function`);
  });

  it('in an example also refuses a `tell` that is not a function, and reports its own name', () => {
    const problem = "agUi has 'title' as its 'tell'. Use a function such as ({ title }) => title.";
    expect(() => agUi({ tell: 'title' as never })).toThrow(problem);
  });
});

describe('an OpenAI client', () => {
  const createTestClient = (via: Send): OpenAI =>
    new OpenAI({
      baseURL: 'https://desk.example/v1',
      apiKey: 'none',
      maxRetries: 0,
      fetch: (url, init) => via(String(url), init),
    });

  it('gets short sentences for a failed turn and a failed call', async () => {
    const client = createTestClient(createDeployment());
    const { message } = registerScript(callReply('say_no'), createModelFailure());
    const response = await client.responses.create({ model: 'desk', input: message() });
    expect(response).toMatchObject({
      status: 'failed',
      error: { message: 'The model is not available right now.' },
      output: [
        { type: 'mcp_call', output: null, error: { content: [{ type: 'text', text: 'The tool failed.' }] } },
      ],
    });
    expect(await client.responses.retrieve(response.id)).toMatchObject({ error: response.error });
    const again = registerScript(createModelFailure());
    const messages = [{ role: 'user' as const, content: again.message() }];
    await expect(client.chat.completions.create({ model: 'desk', messages })).rejects.toMatchObject({
      status: 502,
      error: { message: 'The model is not available right now.', code: 'model_failure' },
    });
  });

  it('gets a tool’s text and its file, but not the line for the model', async () => {
    const { message } = registerScript(callReply('draw'), 'There.');
    const response = await createTestClient(createDeployment()).responses.create({
      model: 'desk',
      input: message(),
    });
    expect(response.output[0]).toMatchObject({
      type: 'mcp_call',
      output: expect.stringMatching(/^A pixel:/),
    });
    expect(JSON.stringify(response)).not.toContain('[file ');
  });

  it('gets the name of a wrong parameter, but not the gaps in the deployment', async () => {
    const via = createDeployment();
    const lacking = await post(via, '/v1/responses', { model: 'unset', input: 'Hello' });
    expect([lacking.status, await readJson(lacking)]).toEqual([
      500,
      {
        error: {
          message: 'This service is not set up correctly.',
          type: 'server_error',
          param: null,
          code: 'misconfigured',
        },
      },
    ]);
    const wrong = await post(via, '/v1/responses', { model: 'desk', input: 'Hello', n: 2 });
    expect(await readJson(wrong)).toMatchObject({
      error: { message: "Unknown parameter: 'n'.", param: 'n' },
    });
  });
});

describe('an A2A client', () => {
  const callRpc = async (via: Send, text: string) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    const response = await post(via, '/a2a/desk', {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message },
    });
    return response.text();
  };

  it('gets a short sentence for a failed turn', async () => {
    const answer = await callRpc(createDeployment(), registerScript(createModelFailure()).message());
    expect(answer).toContain('The model is not available right now.');
    expect(answer).not.toContain('models.internal');
    expect(
      await callRpc(
        createDeployment(() => 'Sorry.'),
        registerScript(createModelFailure()).message(),
      ),
    ).toContain('"Sorry."');
  });

  it('gets a tool’s text with the file that is the answer', async () => {
    const answer = await callRpc(createDeployment(), registerScript(callReply('sketch')).message());
    expect(answer).toContain('{"text":"A pixel:"}');
    expect(answer).not.toContain('[file ');
  });
});

describe('an AG-UI client', () => {
  const run = async (via: Send, threadId: string, messages: readonly object[]) => {
    const body = {
      threadId,
      runId: crypto.randomUUID(),
      messages,
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    };
    return (await post(via, '/agents/desk/ag-ui', body)).text();
  };

  it('gets short sentences for a failed turn and a failed call, even after a reload', async () => {
    const via = createDeployment();
    const thread = crypto.randomUUID();
    const { message } = registerScript(callReply('fall'), createModelFailure());
    const first = await run(via, thread, [{ id: 'm1', role: 'user', content: message() }]);
    expect(first).toContain('Error: The tool failed.');
    expect(first).toContain('"message":"The model is not available right now."');
    const again = await run(via, thread, []);
    expect(again).toContain('Error: The tool failed.');
    expect(first + again).not.toContain('models.internal');
  });
});
