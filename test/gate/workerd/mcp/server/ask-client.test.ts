import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { restaurant } from '../../../../../src/examples/mcp/tables.ts';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import { askClient, defineMcpPrompt } from '../../../../../src/mcp/server/entry.ts';
import { modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { createTestApp } from '../../http/app.ts';
import { connectWithUser, FORM_CAPABILITIES, type Questions, sendModernRequest } from './asking.ts';
import { callTool, createEndpointApp, getTexts, requestAnswer } from './talk.ts';

const createFormRequest = (message: string, field: string) =>
  ({
    method: 'elicitation/create',
    params: {
      message,
      requestedSchema: {
        type: 'object',
        properties: { [field]: { type: 'string', minLength: 2 } },
        required: [field],
      },
    },
  }) as const;

const runs: string[] = [];
/** The errors caught by the tool that treats every throw as a failure. */
const caughtErrors: unknown[] = [];

const greet = defineTool({
  name: 'greet',
  description: 'Greets.',
  effect: 'read',
  input: v.object({ greeting: v.string() }),
  async run({ greeting }, call) {
    runs.push(greeting);
    const { name } = await askClient(call, { name: createFormRequest('Who are you?', 'name') });
    if (name?.action !== 'accept') return `${greeting}, whoever you are: ${name?.action}.`;
    const { color, said, roots } = await askClient(call, {
      color: createFormRequest(`Which color, ${name.content?.name}?`, 'color'),
      said: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 },
      },
      roots: { method: 'roots/list' },
    });
    return `${greeting}, ${name.content?.name} in ${color?.content?.color}. ${said?.model} ${roots?.roots.length}`;
  },
});

const payOnce = defineTool({
  name: 'pay_once',
  description: 'Pays.',
  run: async (_, call) => {
    await askClient(call, { sure: createFormRequest('Sure?', 'word') });
    return 'Paid.';
  },
});

const keys: (readonly [room: string, key: string])[] = [];

const reserve = defineTool({
  name: 'reserve',
  description: 'Reserves a room.',
  effect: 'idempotent',
  input: v.object({ room: v.string() }),
  async run({ room }, call) {
    keys.push([room, call.idempotencyKey]);
    const { sure } = await askClient(call, { sure: createFormRequest('Sure?', 'word') });
    return `Reserved: ${sure?.action}.`;
  },
});

const stubbornTool = defineTool({
  name: 'stubborn',
  description: 'Takes everything for a failure.',
  effect: 'read',
  run: async (_, call) => {
    const asked = await askClient(call, { name: createFormRequest('Who?', 'name') }).catch((thrown) => {
      caughtErrors.push(Object(thrown).message);
    });
    return `Not asked: ${asked?.name?.action}.`;
  },
});

const twiceTool = defineTool({
  name: 'twice',
  description: 'Asks two things by one key.',
  effect: 'read',
  async run(_, call) {
    const first = await askClient(call, { sure: createFormRequest('Send the order?', 'word') });
    const second = await askClient(call, { sure: createFormRequest('Delete the order?', 'word') });
    return `${first.sure?.action} ${second.sure?.action}`;
  },
});

const keyedTool = defineTool({
  name: 'keyed',
  description: 'Asks by a key that it is given.',
  effect: 'read',
  input: v.object({ key: v.string() }),
  async run({ key }, call) {
    const { [key]: answer } = await askClient(call, { [key]: createFormRequest('Sure?', 'word') });
    return `${answer?.action}`;
  },
});

/** The question of `changingTool`, which differs each time. */
let amount = 0;

const changingTool = defineTool({
  name: 'changing',
  description: 'Asks something else each time.',
  effect: 'read',
  async run(_, call) {
    amount += 20;
    const { sure } = await askClient(call, { sure: createFormRequest(`Pay ${amount}?`, 'word') });
    return `Paid: ${sure?.action}.`;
  },
});

const greetingPrompt = defineMcpPrompt({
  name: 'greeting',
  description: 'Greets.',
  arguments: [{ name: 'to' }],
  async messages({ to = 'you' }, call) {
    const { tone } = await askClient(call, { tone: createFormRequest(`How shall I greet ${to}?`, 'tone') });
    return `Greet ${to}: ${tone?.content?.tone ?? 'as you like'}.`;
  },
});

const carelessAgent = defineAgent({
  name: 'careless',
  description: 'Asks where it cannot.',
  instructions: '',
  model: modelBySession,
  tools: [greet],
});

const via = createEndpointApp(
  {
    tools: [greet, payOnce, reserve, stubbornTool, twiceTool, changingTool, keyedTool],
    prompts: [greetingPrompt],
    agents: [carelessAgent],
  },
  { agents: [carelessAgent] },
);

const callGreet = (
  input: unknown,
  more: Readonly<Record<string, unknown>> = {},
  capabilities: object = FORM_CAPABILITIES,
) => sendModernRequest(via, 'tools/call', { name: 'greet', arguments: input, ...more }, { capabilities });

/** Repeats a call with these answers to its first questions. */
async function callWithAnswers(
  inputResponses: Readonly<Record<string, unknown>>,
  input: unknown = { greeting: 'Hi' },
) {
  const { requestState } = (await callGreet(input)).result as Questions;
  return { requestState, inputResponses };
}

const createAcceptance = (content: Readonly<Record<string, unknown>>) => ({ action: 'accept', content });

const INVALID_STATE_ERROR = {
  error: {
    code: -32602,
    message:
      '`requestState` does not belong to this request. Send it back unchanged, with the `name` and `arguments` ' +
      'of the first request, or omit it to start again.',
  },
};

/**
 * Returns the keys with which `reserve` ran when its client repeats a call with an answer. `more` and `again`
 * extend the two requests.
 */
async function collectCallKeys(
  room: string,
  more: object = {},
  again: object = more,
): Promise<readonly string[]> {
  const params = { name: 'reserve', arguments: { room } };
  const { result } = await sendModernRequest(via, 'tools/call', { ...params, ...more });
  const { requestState } = result as Questions;
  const inputResponses = { sure: createAcceptance({ word: 'yes' }) };
  const last = await sendModernRequest(via, 'tools/call', {
    ...params,
    ...again,
    requestState,
    inputResponses,
  });
  expect(last.result).toMatchObject({ content: [{ type: 'text', text: 'Reserved: accept.' }] });
  return keys.flatMap(([of, key]) => (of === room ? [key] : []));
}

describe('a published tool that asks its client', () => {
  it('accepts no answer to another question with the same key', async () => {
    const first = await sendModernRequest(via, 'tools/call', { name: 'twice', arguments: {} });
    const { requestState } = first.result as Questions;
    const again = { requestState, inputResponses: { sure: createAcceptance({ word: 'yes' }) } };
    expect(
      await sendModernRequest(via, 'tools/call', { name: 'twice', arguments: {}, ...again }),
    ).toMatchObject({
      result: {
        isError: true,
        content: [
          {
            type: 'text',
            text:
              "askClient received two questions with the key 'sure'. Give each question its own key, which its " +
              'answer has too.',
          },
        ],
      },
    });
  });

  it.each(['', ' ', 'toString', '0', 'a.b/c', 'ключ'])('can ask by the key %j', async (key) => {
    const params = { name: 'keyed', arguments: { key } };
    const { requestState } = (await sendModernRequest(via, 'tools/call', params)).result as Questions;
    const again = { requestState, inputResponses: { [key]: createAcceptance({ word: 'yes' }) } };
    expect(await sendModernRequest(via, 'tools/call', { ...params, ...again })).toMatchObject({
      result: { content: [{ type: 'text', text: 'accept' }] },
    });
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'cannot ask by the key %s, whose answer would never arrive',
    async (key) => {
      const params = { name: 'keyed', arguments: { key } };
      expect(await sendModernRequest(via, 'tools/call', params)).toMatchObject({
        result: {
          isError: true,
          content: [
            {
              type: 'text',
              text: `askClient received the key '${key}', which clients drop. Use another key.`,
            },
          ],
        },
      });
    },
  );

  it('asks again if the question has changed since it was answered', async () => {
    const asked = await sendModernRequest(via, 'tools/call', { name: 'changing', arguments: {} });
    const { requestState } = asked.result as Questions;
    const again = { requestState, inputResponses: { sure: createAcceptance({ word: 'yes' }) } };
    expect(
      await sendModernRequest(via, 'tools/call', { name: 'changing', arguments: {}, ...again }),
    ).toMatchObject({
      result: { resultType: 'input_required', inputRequests: { sure: { params: { message: 'Pay 40?' } } } },
    });
  });

  it('has one idempotency key in all runs of a call, even without a client’s key, and another key for each call', async () => {
    const [room, other] = [crypto.randomUUID(), crypto.randomUUID()];
    const [first, second, ...none] = await collectCallKeys(room);
    expect([none, second]).toEqual([[], first]);
    expect(new Set(await collectCallKeys(room)).size).toBe(2);
    const named = { _meta: { 'holdfast/idempotency-key': crypto.randomUUID() } };
    expect(new Set(await collectCallKeys(other, named, {})).size).toBe(1);
    expect(new Set(await collectCallKeys(other, named)).size).toBe(1);
  });

  it('returns its questions, and runs again with the answers so far', async () => {
    const input = { greeting: `Hi-${crypto.randomUUID()}` };
    const everything = { ...FORM_CAPABILITIES, sampling: {}, roots: {} };
    const first = await callGreet(input, {}, everything);
    expect(first.result).toEqual({
      _meta: expect.anything(),
      resultType: 'input_required',
      inputRequests: { name: createFormRequest('Who are you?', 'name') },
      requestState: expect.stringMatching(/^holdfast-1\./),
    });
    const { requestState } = first.result as Questions;
    const second = await callGreet(
      input,
      { requestState, inputResponses: { name: createAcceptance({ name: 'Ada' }) } },
      everything,
    );
    const asked = second.result as Questions;
    expect(asked.inputRequests).toEqual({
      color: createFormRequest('Which color, Ada?', 'color'),
      said: {
        method: 'sampling/createMessage',
        params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 },
      },
      roots: { method: 'roots/list', params: {} },
    });
    expect(asked.requestState).not.toBe(requestState);
    const inputResponses = {
      color: createAcceptance({ color: 'blue' }),
      said: { role: 'assistant', content: { type: 'text', text: 'Hi!' }, model: 'm-1' },
      roots: { roots: [{ uri: 'file:///a' }] },
    };
    const third = await callGreet(input, { requestState: asked.requestState, inputResponses }, everything);
    expect(getTexts(third.result)).toEqual([`${input.greeting}, Ada in blue. m-1 1`]);
    expect(runs.filter((one) => one === input.greeting)).toHaveLength(3);
  });

  it('asks only with methods that its client supports, and does not ask a client of an older revision', async () => {
    const forms = await callGreet(
      { greeting: 'Hi' },
      await callWithAnswers({ name: createAcceptance({ name: 'Ada' }) }),
    );
    expect(Object.keys((forms.result as Questions).inputRequests)).toEqual(['color']);
    const url = await callGreet({ greeting: 'Hi' }, {}, { elicitation: { url: {} }, sampling: {} });
    expect(getTexts(url.result)).toEqual(['Hi, whoever you are: undefined.']);
    const none = await callGreet({ greeting: 'Hi' }, {}, {});
    expect(getTexts(none.result)).toEqual(['Hi, whoever you are: undefined.']);
    const older = await callTool(via, 'greet', { greeting: 'Hi' });
    expect(getTexts(older)).toEqual(['Hi, whoever you are: undefined.']);
    const plain = await callGreet({ greeting: 'Hi' }, {}, { elicitation: {} });
    expect(Object.keys((plain.result as Questions).inputRequests)).toEqual(['name']);
  });

  it('gets its answers from the official client, whose user can decline', async () => {
    const client = await connectWithUser(via, ({ message }) =>
      message.startsWith('Who') ? { action: 'accept', content: { name: 'Ada' } } : { action: 'decline' },
    );
    const result = await client.callTool({ name: 'greet', arguments: { greeting: 'Hi' } });
    expect(getTexts(result)).toEqual(['Hi, Ada in undefined. undefined undefined']);
    await client.close();
    const cancelling = await connectWithUser(via, () => ({ action: 'cancel' }));
    const cancelled = await cancelling.callTool({ name: 'greet', arguments: { greeting: 'Hi' } });
    expect(getTexts(cancelled)).toEqual(['Hi, whoever you are: cancel.']);
    await cancelling.close();
  });

  it.each([
    ['a number', 12, 'it is not an answer of this kind.'],
    ['an answer of another kind', { roots: [] }, 'it is not an answer of this kind.'],
    ['an unknown action', { action: 'agree' }, 'it is not an answer of this kind.'],
    [
      'content that is not an object',
      { action: 'accept', content: 'Ada' },
      'it is not an answer of this kind.',
    ],
    ['content that is too short', createAcceptance({ name: 'A' }), 'name: String is too short (1 < 2).'],
    [
      'content of another type',
      createAcceptance({ name: 5 }),
      'name: Instance type "number" is invalid. Expected "string".',
    ],
    ['no content', { action: 'accept' }, 'Instance does not have required property "name".'],
  ])('asks again for %s', async (_, sent, problem) => {
    const { result } = await callGreet({ greeting: 'Hi' }, await callWithAnswers({ name: sent }));
    const { inputRequests } = result as Questions;
    // A number is not an object, so it counts as a missing answer.
    const said = typeof sent === 'number' ? '' : `The answer was not accepted: ${problem}\n`;
    expect(inputRequests).toEqual({ name: createFormRequest(`${said}Who are you?`, 'name') });
  });

  it('asks again if the answers are for other questions, and accepts answers in a first request without asking', async () => {
    const wrong = await callGreet(
      { greeting: 'Hi' },
      await callWithAnswers({ nobody: createAcceptance({ name: 'Ada' }) }),
    );
    expect(Object.keys((wrong.result as Questions).inputRequests)).toEqual(['name']);
    const inputResponses = { name: { action: 'decline' }, nobody: createAcceptance({ name: 'Ada' }) };
    const more = await callGreet({ greeting: 'Hi' }, await callWithAnswers(inputResponses));
    expect(getTexts(more.result)).toEqual(['Hi, whoever you are: decline.']);
    const unasked = await callGreet({ greeting: 'Hi' }, { inputResponses });
    expect(getTexts(unasked.result)).toEqual(['Hi, whoever you are: decline.']);
  });

  it('refuses a request state that it has not issued for this call', async () => {
    const first = (await callGreet({ greeting: 'Hi' })).result as Questions;
    const ofPrompt = (await sendModernRequest(via, 'prompts/get', { name: 'greeting' })).result as Questions;
    const inputResponses = { name: { action: 'decline' } };
    const sendState = (state: unknown, input: unknown = { greeting: 'Hi' }) =>
      callGreet(input, { requestState: state, inputResponses });
    expect(getTexts((await sendState(first.requestState)).result)).toEqual(['Hi, whoever you are: decline.']);
    const body = first.requestState.slice('holdfast-1.'.length);
    const changed = { ...JSON.parse(atob(body)), answers: { name: createAcceptance({ name: 'Eve' }) } };
    for (const state of [
      `${first.requestState}-TAMPERED`,
      first.requestState.replace('holdfast-1.', 'holdfast-2.'),
      `holdfast-1.${btoa(JSON.stringify(changed))}`,
      `holdfast-1.${btoa(JSON.stringify({ ...JSON.parse(atob(body)), more: 1 }))}`,
      `holdfast-1.${btoa('[]')}`,
      `holdfast-1.${btoa('null')}`,
      'holdfast-1.',
      '',
      'x'.repeat(100_000),
      ofPrompt.requestState,
    ]) {
      expect(await sendState(state), state.slice(0, 40)).toEqual(INVALID_STATE_ERROR);
    }
    for (const state of [5, null, {}, ['a']]) expect(await sendState(state)).toEqual(INVALID_STATE_ERROR);
    expect(await sendState(first.requestState, { greeting: 'Bye' })).toEqual(INVALID_STATE_ERROR);
  });

  it('is refused with instructions if its effect is once, or if it runs in a turn of an agent', async () => {
    const refused = await sendModernRequest(via, 'tools/call', { name: 'pay_once', arguments: {} });
    expect(Object(refused.result).isError).toBe(true);
    expect(getTexts(refused.result)).toEqual([
      "Tool 'pay_once' uses askClient, but its effect is 'once', and it would run again after the answer. Give it " +
        "the effect 'read' or 'idempotent', or publish an agent whose tool is approved before it runs.",
    ]);
    const { message, model } = registerScript(
      { calls: [{ name: 'greet', input: { greeting: 'Hi' } }] },
      'Never mind.',
    );
    await sendModernRequest(via, 'tools/call', { name: 'careless', arguments: { message: message() } });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      text:
        "Error: Tool 'greet' uses askClient, but was not called by an MCP client. askClient works only in a tool or prompt that " +
        'defineMcpEndpoint publishes, with the call that it receives. In a turn of an agent, use call.ask, requireApproval or humanInput.',
    });
  });

  it('asks even if its code catches every error', async () => {
    const { result } = await sendModernRequest(via, 'tools/call', { name: 'stubborn', arguments: {} });
    const { inputRequests, requestState } = result as Questions;
    expect(inputRequests).toEqual({ name: createFormRequest('Who?', 'name') });
    expect(caughtErrors).toEqual(['The client is asked first.']);
    const inputResponses = { name: { action: 'decline' } };
    const again = await sendModernRequest(via, 'tools/call', {
      name: 'stubborn',
      arguments: {},
      inputResponses,
      requestState,
    });
    expect(getTexts(again.result)).toEqual(['Not asked: decline.']);
  });
});

describe('the restaurant tool of the documentation', () => {
  const tables = createTestApp({ agents: [], use: [restaurant] });
  const params = { name: 'reserve_table', arguments: {} };

  it('asks for the number of guests', async () => {
    const client = await connectWithUser(tables, () => ({ action: 'accept', content: { number: 4 } }));
    expect(getTexts(await client.callTool(params))).toEqual(['A table for 4 is reserved.']);
    await client.close();
    const declining = await connectWithUser(tables, () => ({ action: 'decline' }));
    expect(getTexts(await declining.callTool(params))).toEqual(['Nothing is reserved, as the guest wished.']);
    await declining.close();
    expect(getTexts(await callTool(tables, 'reserve_table'))).toEqual([
      'Nothing is reserved: this client cannot ask how many guests there will be.',
    ]);
  });
});

describe('a prompt that asks its client', () => {
  it('is rendered after the answer', async () => {
    const params = { name: 'greeting', arguments: { to: 'Ada' } };
    const { result } = await sendModernRequest(via, 'prompts/get', params);
    const { inputRequests, requestState } = result as Questions;
    expect(inputRequests).toEqual({ tone: createFormRequest('How shall I greet Ada?', 'tone') });
    const inputResponses = { tone: createAcceptance({ tone: 'warmly' }) };
    const got = await sendModernRequest(via, 'prompts/get', { ...params, inputResponses, requestState });
    expect(Object(got.result).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet Ada: warmly.' } },
    ]);
    expect(await sendModernRequest(via, 'prompts/get', { ...params, arguments: {}, requestState })).toEqual(
      INVALID_STATE_ERROR,
    );
    expect(Object(await requestAnswer(via, 'prompts/get', params)).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Greet Ada: as you like.' } },
    ]);
  });
});
