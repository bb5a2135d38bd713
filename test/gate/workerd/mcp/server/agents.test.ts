import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import { defineAgent } from '../../../../../src/index.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import { toolGroups as registered, toolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { recordings } from '../../../../fixtures/scripted-agent.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { readJson } from '../../http/client.ts';
import {
  callTool,
  connectClient,
  createEndpointApp,
  createRpcRequest,
  createSessionId,
  getTexts,
  getView,
  postMcp,
  readMessages,
  recordCall,
  requestAnswer,
} from './talk.ts';

const via = createEndpointApp({
  agents: ['scripted', { agent: 'clerk', as: 'ask_clerk', description: 'Pays you.' }],
});

describe('tools/list', () => {
  it('shows an agent as a tool with a message parameter, and describes its output', async () => {
    const client = await connectClient(via);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['scripted', 'Says what its script says.'],
      ['ask_clerk', 'Pays you.'],
    ]);
    expect(tools[0]?.inputSchema).toEqual({
      type: 'object',
      properties: {
        message: { type: 'string', pattern: '\\S', description: 'The message for the agent.' },
        session: {
          type: 'string',
          pattern: '^[A-Za-z0-9_.:@-]{1,128}$',
          description:
            'The session of an earlier answer, to continue its conversation. Defaults to a new one.',
        },
      },
      required: ['message'],
      additionalProperties: false,
    });
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: false });
    const createTextSchema = (description: string) => ({ type: 'string', description });
    expect(tools[0]?.outputSchema).toEqual({
      type: 'object',
      properties: {
        session: createTextSchema('Send it with the next message of the conversation.'),
        turn: createTextSchema('The id of this turn in the session.'),
        path: createTextSchema('The path to GET the answer, now or later.'),
        outcome: {
          ...createTextSchema(
            '`suspended`: it waits for `pending`. `running`: it continues, and its answer comes later.',
          ),
          enum: [
            'completed',
            'returned-direct',
            'limit-reached',
            'cancelled',
            'failed',
            'suspended',
            'running',
          ],
        },
        limit: {
          type: 'object',
          properties: { kind: { type: 'string' }, most: { type: 'number' } },
          description: 'For `limit-reached`: the limit and its value.',
        },
        text: createTextSchema('The answer in words.'),
        pending: {
          type: 'array',
          items: { type: 'object' },
          description: 'Calls that wait for a decision or a result, and where that is sent.',
        },
        error: { type: 'object', properties: { type: { type: 'string' }, message: { type: 'string' } } },
      },
      required: ['session', 'turn', 'path', 'outcome', 'text'],
    });
    await client.close();
  });
});

describe('a call of an agent', () => {
  it('runs a turn, and returns the session in which the conversation continues', async () => {
    const { message, model } = registerScript(recordCall('first'), 'Noted.', 'You said it twice.');
    const client = await connectClient(via);
    await client.listTools(); // so that the client validates results
    const first = await client.callTool({ name: 'scripted', arguments: { message: message() } });
    const told = getView(first);
    expect(told).toEqual({
      session: expect.stringMatching(/^mcp-[0-9a-f]{16}$/),
      turn: expect.stringMatching(/^[0-9a-f]{16}$/),
      path: `/agents/scripted/sessions/${told.session}/turns/${told.turn}`,
      outcome: 'completed',
      text: 'Noted.',
    });
    expect(first.content).toEqual([
      { type: 'text', text: 'Noted.' },
      {
        type: 'text',
        text: `To continue this conversation, call 'scripted' with the session '${told.session}'.`,
      },
    ]);
    const next = { message: 'And again?', session: told.session };
    const second = await client.callTool({ name: 'scripted', arguments: next });
    expect(second.content).toEqual([{ type: 'text', text: 'You said it twice.' }]);
    expect(getView(second).session).toBe(told.session);
    expect(model.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
    expect(await readJson(await via(String(told.path)))).toMatchObject({
      outcome: 'completed',
      text: 'Noted.',
    });
    await client.close();
  });

  it('reaches only the sessions of its caller', async () => {
    const shared = createEndpointApp(
      { agents: ['scripted'] },
      { auth: ({ headers }) => ({ id: headers.get('x-user') ?? 'nobody' }) },
    );
    const id = createSessionId();
    const say = async (user: string, message: string) => {
      const params = { name: 'scripted', arguments: { message, session: id } };
      const response = await postMcp(shared, createRpcRequest('tools/call', params), {
        headers: { 'x-user': user },
      });
      return (await readMessages(response))[0]?.result;
    };
    const mine = registerScript('Hello Ada.');
    const theirs = registerScript('Hello Eve.');
    expect(await say('ada', mine.message())).toMatchObject({ content: [{ text: 'Hello Ada.' }] });
    expect(await say('eve', theirs.message())).toMatchObject({ content: [{ text: 'Hello Eve.' }] });
    expect(theirs.model.requests[0]?.messages.length).toBe(2);
  });

  it('continues the sessions of its caller’s other requests: those of a tenant, but not those of an id equal to the tenant’s name', async () => {
    const auth = ({ headers }: Request): Caller => JSON.parse(headers.get('x-caller') ?? '');
    const shared = createEndpointApp({ agents: ['scripted'] }, { auth });
    const session = createSessionId();
    const as = (caller: Caller) => ({ headers: { 'x-caller': JSON.stringify(caller) } });
    const say = async (caller: Caller, { message }: { message(): string }) => {
      const params = { name: 'scripted', arguments: { message: message(), session } };
      const answered = await readMessages(
        await postMcp(shared, createRpcRequest('tools/call', params), as(caller)),
      );
      return getView(answered[0]?.result);
    };
    const [ann, max, acme] = [{ id: 'ann', tenant: 'acme' }, { id: 'max', tenant: 'acme' }, { id: 'acme' }];
    const ours = registerScript('Hello Ann.', 'Hello Max.');
    const { path = '' } = await say(ann, ours);
    expect(await say(max, ours)).toMatchObject({ text: 'Hello Max.' });
    expect(await say(acme, registerScript('Hello Acme.'))).toMatchObject({ text: 'Hello Acme.' });
    expect(ours.model.requests.map(({ messages }) => messages.length)).toEqual([2, 4]);
    const found = [ann, max, acme].map(async (caller) => (await shared(path, as(caller))).status);
    expect(await Promise.all(found)).toEqual([200, 200, 404]);
  });

  it('receives the mapped headers as context', async () => {
    const mapped = createEndpointApp(
      { agents: ['scripted'] },
      { http: { contextHeaders: { 'x-locale': 'locale' } } },
    );
    const { message } = registerScript(recordCall('mcp-context'), 'Done.');
    const params = { name: 'scripted', arguments: { message: message() } };
    await postMcp(mapped, createRpcRequest('tools/call', params), { headers: { 'x-locale': 'nl' } }).then(
      (one) => one.text(),
    );
    expect(recordings.find(({ note }) => note === 'mcp-context')?.context).toMatchObject({ locale: 'nl' });
  });

  it('returns the object of an agent with an output, according to its schema', async () => {
    const counter = defineAgent({
      name: 'counter',
      description: 'Counts.',
      instructions: '',
      model: modelBySession,
      output: v.object({ count: v.number() }),
    });
    const counting = createEndpointApp({ agents: [counter] }, { agents: [counter] });
    const client = await connectClient(counting);
    const { tools } = await client.listTools();
    expect(Object(tools[0]?.outputSchema?.properties).object).toEqual({
      type: 'object',
      properties: { count: { type: 'number' } },
      required: ['count'],
    });
    const { message } = registerScript('{"count":3}');
    const answer = await client.callTool({ name: 'counter', arguments: { message: message() } });
    expect(getView(answer)).toMatchObject({ outcome: 'completed', object: { count: 3 } });
    await client.close();
  });

  it.each([
    [{}, 'message: Invalid key: Expected "message" but received undefined'],
    [{ message: ' \n' }, 'message: it is blank'],
    [
      { message: 'x', session: 'a/b' },
      'session: a session id is 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
    ],
    [{ message: 'x', context: {} }, 'context: Invalid key: Expected never but received "context"'],
  ])('is refused with the problems of its input: %j', async (input, problem) => {
    const answer = await callTool(via, 'scripted', input);
    expect([answer.isError, getTexts(answer)]).toEqual([
      true,
      [`The input of tool 'scripted' is not valid:\n- ${problem}\nCall it again with a corrected input.`],
    ]);
  });

  it('includes an output schema that refers to parts of itself', async () => {
    const Node: v.GenericSchema = v.object({ children: v.array(v.lazy(() => Node)) });
    const tree = defineAgent({
      name: 'tree',
      description: 'Grows.',
      instructions: '',
      model: modelBySession,
      output: v.object({ root: Node }),
    });
    const client = await connectClient(createEndpointApp({ agents: [tree] }, { agents: [tree] }));
    const { tools } = await client.listTools();
    const { message } = registerScript('{"root":{"children":[{"children":[]}]}}');
    const answer = await client.callTool({ name: 'tree', arguments: { message: message() } });
    expect(Object.keys(Object(tools[0]?.outputSchema))).toContain('$defs');
    expect(getView(answer).object).toEqual({ root: { children: [{ children: [] }] } });
    await client.close();
  });
});

it('an agent whose output schema refers to its own root is listed with a plain object schema', async () => {
  const family = defineAgent({
    name: 'family',
    description: 'Grows.',
    instructions: '',
    model: modelBySession,
    output: jsonSchema({ type: 'object', properties: { child: { $ref: '#' } } }),
  });
  const { tools } = Object(
    await requestAnswer(createEndpointApp({ agents: [family] }, { agents: [family] }), 'tools/list'),
  );
  expect(tools[0].outputSchema.properties.object).toEqual({ type: 'object' });
});

it('an agent whose deployment is incomplete refuses a message', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const needy = defineAgent({
    name: 'needy',
    description: 'Needs a group.',
    instructions: '',
    tools: [toolGroup('web')],
  });
  const lacking = createEndpointApp(
    { agents: ['needy'] },
    { agents: [needy], model: openaiCompatible(), use: [registered([])] },
  );
  expect(
    await requestAnswer(lacking, 'tools/call', { name: 'needy', arguments: { message: 'Hi' } }),
  ).toMatchObject({
    error: { code: -32603, message: expect.stringContaining("'web'") },
  });
  log.mockRestore();
});
