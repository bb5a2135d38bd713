import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import { humanInput } from '../../../../../src/modules/decorators/entry.ts';
import { askFirst } from '../../../../fixtures/asks-first.ts';
import { clerk, listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { modelBySession, registerScript, type ScriptedTurn } from '../../../../fixtures/scripts.ts';
import {
  connectWithUser,
  FORM_CAPABILITIES,
  type Questions,
  type Sender,
  sendModernRequest,
} from './asking.ts';
import { callTool, createEndpointApp, createSessionId, getTexts, getView } from './talk.ts';

const createTool = (name: string, input: v.GenericSchema<Record<string, unknown>> = v.object({})) =>
  defineTool({ name, description: 'Does it.', effect: 'read', input, run: (given) => JSON.stringify(given) });

/** The form of a server's question, as stored in a session. */
const SEATS = {
  type: 'object',
  properties: {
    seats: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    class: { type: 'string', enum: ['first', 'second'], title: 'Class' },
    meals: { type: 'array', items: { type: 'string', enum: ['soup', 'fish'] }, maxItems: 2 },
    window: { type: 'boolean', description: 'By the window?' },
    day: { type: 'string', format: 'date', pattern: '^2' },
    tariff: { oneOf: [{ const: 'a', title: 'Cheap' }, { const: 'b' }] },
  },
  required: ['class'],
};

const asker = defineAgent({
  name: 'asker',
  description: 'Asks.',
  instructions: '',
  model: modelBySession,
  tools: [
    humanInput(),
    askFirst(createTool('book'), {
      message: 'Which seats?',
      schema: SEATS,
      allows: ['approve', 'edit', 'reject'],
      input: { seats: 2 },
      credentials: 'refused',
    }),
    askFirst(createTool('deep', v.object({ to: v.object({ name: v.string() }) }))),
    askFirst(createTool('value'), {
      schema: { type: 'object', properties: { a: { type: 'object' } } },
      allows: ['edit', 'reject'],
    }),
    askFirst(createTool('reason', v.object({ reason: v.string() })), {
      allows: ['approve', 'edit', 'reject'],
    }),
    askFirst(createTool('long', v.object({ text: v.string() }))),
    askFirst(createTool('stop'), { allows: ['approve', 'exit'] }),
    askFirst(createTool('only'), { allows: ['approve'] }),
  ],
});

const via = createEndpointApp({ agents: ['clerk', asker] }, { agents: [clerk, asker] });

const createPayCall = (to: string, amount = 5, name = 'pay') => ({ name, input: { to, amount } });

/** A call with questions, and a function to answer them. */
async function askAgent(
  agent: string,
  { message }: ScriptedTurn,
  sender?: Sender,
  input: Readonly<Record<string, unknown>> = {},
) {
  const params = { name: agent, arguments: { message: message(), ...input } };
  const { result } = await sendModernRequest(via, 'tools/call', params, sender);
  const first = result as Questions;
  const keys = Object.keys(first.inputRequests);
  return {
    params,
    first,
    keys,
    /** Sends one answer for each question, in order. */
    answer: (...answers: readonly unknown[]) =>
      askAgain(
        params,
        first.requestState,
        Object.fromEntries(answers.map((one, place) => [keys[place], one])),
        sender,
      ),
  };
}

async function askAgain(
  params: Readonly<Record<string, unknown>>,
  requestState: unknown,
  inputResponses: unknown,
  sender?: Sender,
) {
  return sendModernRequest(via, 'tools/call', { ...params, requestState, inputResponses }, sender);
}

const createAcceptance = (content: Readonly<Record<string, unknown>>) => ({ action: 'accept', content });
const approve = createAcceptance({ decision: 'approve' });

const getForm = ({ inputRequests }: Questions, key: string | undefined) =>
  Object(inputRequests[key ?? '']?.params) as { readonly message: string; readonly requestedSchema: object };

/** Returns the result of the model's last call. */
const getLastResult = ({ model }: ScriptedTurn): string =>
  String(Object(model.requests.at(-1)?.messages.at(-1)).text);

describe('a turn that waits for a decision', () => {
  it('asks its question as a form', async () => {
    const to = crypto.randomUUID();
    const { first, keys } = await askAgent('clerk', registerScript({ calls: [createPayCall(to)] }, 'Paid.'));
    const [key = ''] = keys;
    expect(key).toMatch(/^[0-9a-f]{16}\.3\.0#0$/);
    expect(first).toEqual({
      _meta: expect.anything(),
      resultType: 'input_required',
      inputRequests: {
        [key]: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: `Tool 'pay' is to be called with {"to":"${to}","amount":5}.\nMay I pay?`,
            requestedSchema: {
              type: 'object',
              properties: {
                decision: {
                  type: 'string',
                  title: 'Decision',
                  description:
                    'approve: it runs; edit: it runs with what you change here; ' +
                    'reject: it does not run, and the agent is informed; exit: it does not run, and the agent stops',
                  enum: ['approve', 'edit', 'reject', 'exit'],
                },
                reason: { type: 'string', title: 'Reason', description: 'For the agent.', maxLength: 2000 },
                to: { type: 'string', default: to },
                amount: { type: 'number', default: 5 },
              },
              required: ['decision'],
            },
          },
        },
      },
      requestState: expect.stringMatching(/^holdfast-1\.[A-Za-z0-9+/]+=*$/),
    });
  });

  it('is approved by the official client', async () => {
    const to = crypto.randomUUID();
    const { message } = registerScript({ calls: [createPayCall(to)] }, 'Paid.');
    const client = await connectWithUser(via, () => ({ action: 'accept', content: { decision: 'approve' } }));
    const result = await client.callTool({ name: 'clerk', arguments: { message: message() } });
    const { session } = getView(result);
    expect(getTexts(result)).toEqual([
      'Paid.',
      `To continue this conversation, call 'clerk' with the session '${session}'.`,
    ]);
    expect([getView(result).outcome, listPaymentsTo(to)]).toEqual(['completed', [5]]);
    await client.close();
  });

  it.each([
    ['rejected', createAcceptance({ decision: 'reject', reason: 'Too much.' }), 'Error: Too much.', []],
    ['declined', { action: 'decline' }, 'Error: The person who was asked has declined.', []],
    ['edited', createAcceptance({ decision: 'edit', amount: 3 }), /Paid 3\./, [3]],
    [
      'approved as it was shown',
      createAcceptance({ decision: 'approve', amount: 5, reason: '' }),
      /Paid 5\./,
      [5],
    ],
    ['approved with additional fields', createAcceptance({ decision: 'approve', other: 1 }), /Paid 5\./, [5]],
  ])('is %s', async (_, answer, words, paid) => {
    const to = crypto.randomUUID();
    const scripted = registerScript({ calls: [createPayCall(to)] }, 'As you like.');
    const { result } = await (await askAgent('clerk', scripted)).answer(answer);
    expect(getTexts(result)[0]).toBe('As you like.');
    expect(getLastResult(scripted)).toMatch(words);
    expect(listPaymentsTo(to)).toEqual(paid);
  });

  it('ends if the answer is exit', async () => {
    const to = crypto.randomUUID();
    const { result } = await (await askAgent('clerk', registerScript({ calls: [createPayCall(to)] }))).answer(
      createAcceptance({ decision: 'exit', reason: 'Enough.' }),
    );
    expect([Object(result).isError, getTexts(result)[0], listPaymentsTo(to)]).toEqual([
      true,
      'The turn was ended: Enough.',
      [],
    ]);
  });

  it.each([
    [{}, 'decision: is missing.'],
    [{ decision: 'maybe' }, 'decision: must be approve, edit, reject or exit.'],
    [{ decision: ['approve'] }, 'decision: must be approve, edit, reject or exit.'],
    [
      { decision: 'approve', amount: 50 },
      'decision: approve keeps the values shown here, but amount was changed. Choose edit to use the change, or undo it.',
    ],
    [
      { decision: 'edit', amount: 'much' },
      'input.amount: Instance type "string" is invalid. Expected "number".',
    ],
    [{ decision: 'reject', reason: 'x'.repeat(2_001) }, 'reason: must be text of at most 2000 characters.'],
    [{ decision: 'reject', reason: 5 }, 'reason: must be text of at most 2000 characters.'],
  ])('asks again after the answer %j, which is not a decision', async (content, problem) => {
    const to = crypto.randomUUID();
    const { first, keys, params, answer } = await askAgent(
      'clerk',
      registerScript({ calls: [createPayCall(to)] }, 'Paid.'),
    );
    const [key = ''] = keys;
    const { result } = await answer(createAcceptance(content));
    const { inputRequests, requestState } = result as Questions;
    expect(inputRequests).toEqual({
      [key]: {
        method: 'elicitation/create',
        params: {
          ...getForm(first, key),
          message: `The answer was not accepted: ${problem}\n${getForm(first, key).message}`,
        },
      },
    });
    expect(listPaymentsTo(to)).toEqual([]);
    const { result: last } = await askAgain(params, requestState, { [key]: approve });
    expect([getTexts(last)[0], listPaymentsTo(to)]).toEqual(['Paid.', [5]]);
  });

  it.each([
    ['an invalid answer', { roots: [] }],
    ['an unknown action', { action: 'agree' }],
    ['content that is text', { action: 'accept', content: 'approve' }],
  ])('asks again after %s', async (_, sent) => {
    const { first, keys, answer } = await askAgent(
      'clerk',
      registerScript({ calls: [createPayCall('nobody')] }),
    );
    const { result } = await answer(sent);
    expect(getForm(result as Questions, keys[0]).message).toBe(
      `The answer was not accepted: it is not the answer of a form.\n${getForm(first, keys[0]).message}`,
    );
  });

  it.each([
    ['no answers', undefined],
    ['answers to another question', { other: approve }],
    ['a text instead of answers', 'approve'],
    ['a number instead of an answer', 5],
  ])('asks again after a request with %s', async (_, sent) => {
    const { first, keys, params } = await askAgent(
      'clerk',
      registerScript({ calls: [createPayCall('nobody')] }),
    );
    const responses = typeof sent === 'number' ? { [keys[0] ?? '']: sent } : sent;
    const { result } = await askAgain(params, first.requestState, responses);
    expect(result).toEqual(first);
  });

  it('keeps waiting if its question is dismissed, and can be decided later', async () => {
    const to = crypto.randomUUID();
    const { first, params, keys, answer } = await askAgent(
      'clerk',
      registerScript({ calls: [createPayCall(to)] }, 'Paid.'),
    );
    const { result } = await answer({ action: 'cancel' });
    const { outcome, path, session, pending } = Object(Object(result).structuredContent);
    expect([Object(result).isError, outcome, pending.length]).toEqual([undefined, 'suspended', 1]);
    expect(getTexts(result)).toEqual([
      'The turn waits for an answer from outside, and then continues:\n' +
        `- pay, answered by POST ${pending[0].links.approvals}: May I pay?`,
      `Its answer will be at GET ${path}.`,
      `To continue this conversation, call 'clerk' with the session '${session}'.`,
    ]);
    const { result: last } = await askAgain(params, first.requestState, { [keys[0] ?? '']: approve });
    expect([getTexts(last)[0], listPaymentsTo(to)]).toEqual(['Paid.', [5]]);
  });

  it('asks several questions in one response, and each answer is accepted separately', async () => {
    const [a, b, c] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const calls = [createPayCall(a), createPayCall(b, 6, 'pay_plainly'), createPayCall(c, 7)];
    const { params, keys, first, answer } = await askAgent('clerk', registerScript({ calls }, 'Paid.'));
    expect(keys).toHaveLength(3);
    const { result } = await answer(approve, createAcceptance({ decision: 'exit' }), { action: 'cancel' });
    const second = result as Questions;
    // A dismissed question is not repeated immediately.
    expect(Object.keys(second.inputRequests)).toEqual([keys[1]]);
    expect(getForm(second, keys[1]).message).toBe(
      `The answer was not accepted: decision: must be approve or reject here.\n${getForm(first, keys[1]).message}`,
    );
    const { result: third } = await askAgain(params, second.requestState, { [keys[1] ?? '']: approve });
    expect(Object.keys((third as Questions).inputRequests)).toEqual([keys[2]]);
    const { result: last } = await askAgain(params, (third as Questions).requestState, {
      [keys[2] ?? '']: approve,
    });
    expect(getTexts(last)[0]).toBe('Paid.');
    expect([listPaymentsTo(a), listPaymentsTo(b), listPaymentsTo(c)]).toEqual([[5], [6], [7]]);
  });

  it('asks until every call is decided, in one call of the official client', async () => {
    const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];
    const { message } = registerScript(
      { calls: [createPayCall(a, 5, 'pay_twice_asked')] },
      { calls: [createPayCall(b)] },
      'Both are paid.',
    );
    const questions: string[] = [];
    const client = await connectWithUser(via, ({ message: question }) => {
      questions.push(question.split('\n').at(-1) ?? '');
      return { action: 'accept', content: { decision: 'approve' } };
    });
    const result = await client.callTool({
      name: 'clerk',
      arguments: { message: message(), session: createSessionId() },
    });
    expect(getTexts(result)).toEqual(['Both are paid.']);
    expect(questions).toEqual(['Sure?', 'Really?', 'May I pay?']);
    expect([listPaymentsTo(a), listPaymentsTo(b)]).toEqual([[5], [5]]);
    await client.close();
  });

  it('is described in text to clients without forms, and if a form cannot answer the call', async () => {
    const to = crypto.randomUUID();
    for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {}, roots: {} }]) {
      const { message } = registerScript({ calls: [createPayCall(to)] });
      const params = { name: 'clerk', arguments: { message: message() } };
      const { result } = await sendModernRequest(via, 'tools/call', params, { capabilities });
      expect([getView(result).outcome, Object(result).resultType]).toEqual(['suspended', 'complete']);
    }
    const older = await callTool(via, 'clerk', {
      message: registerScript({ calls: [createPayCall(to)] }).message(),
    });
    expect(getView(older).outcome).toBe('suspended');
    const lookUp = { name: 'look_up', input: { id: 'o-1' } };
    const { message } = registerScript({ calls: [lookUp] });
    const { result } = await sendModernRequest(via, 'tools/call', {
      name: 'clerk',
      arguments: { message: message() },
    });
    const { pending } = Object(Object(result).structuredContent);
    expect(getTexts(result)[0]).toMatch(`- look_up, answered by POST ${pending[0].links.results}: `);
    // Only questions that fit a form are asked. The others are described after the decision.
    const both = await askAgent('clerk', registerScript({ calls: [lookUp, createPayCall(to)] }));
    expect(both.keys).toHaveLength(1);
    const { result: rest } = await both.answer(approve);
    expect(getTexts(rest)[0]).toMatch('- look_up, answered by POST ');
    expect(Object(Object(rest).structuredContent).pending).toMatchObject([{ tool: 'look_up' }]);
  });
});

describe('a question', () => {
  it('has a field for the answer if a model asks it', async () => {
    const scripted = registerScript(
      { calls: [{ name: 'human_input', input: { question: 'Which city?' } }] },
      'Thanks.',
    );
    const { first, keys, answer } = await askAgent('asker', scripted);
    expect(getForm(first, keys[0])).toEqual({
      mode: 'form',
      message: 'Which city?',
      requestedSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'The answer' } },
        required: ['text'],
      },
    });
    const { result: empty } = await answer(createAcceptance({}));
    expect(getForm(empty as Questions, keys[0]).message).toBe(
      'The answer was not accepted: input: Instance does not have required property "text".\nWhich city?',
    );
    const { result } = await answer(createAcceptance({ text: 'Rome' }));
    expect([getTexts(result)[0], getLastResult(scripted)]).toEqual(['Thanks.', 'Rome']);
  });

  it('ends the turn if a model asks it and the person declines to answer', async () => {
    const scripted = registerScript({ calls: [{ name: 'human_input', input: { question: 'Which city?' } }] });
    const { result } = await (await askAgent('asker', scripted)).answer({ action: 'decline' });
    expect(getTexts(result)[0]).toBe('The turn was ended: The person who was asked has declined.');
  });

  it('has the server’s fields if a server asks it, without unsupported schema keywords, and accepts no credential', async () => {
    const scripted = registerScript({ calls: [{ name: 'book', input: {} }] }, 'Booked.');
    const { first, keys, answer } = await askAgent('asker', scripted);
    expect(getForm(first, keys[0])).toEqual({
      mode: 'form',
      message: 'Which seats?',
      requestedSchema: {
        ...SEATS,
        properties: {
          ...SEATS.properties,
          day: { type: 'string', format: 'date' },
          tariff: {
            type: 'string',
            oneOf: [
              { const: 'a', title: 'Cheap' },
              { const: 'b', title: 'b' },
            ],
          },
        },
      },
    });
    const secret = `sk-ant-api03-${'a1B2'.repeat(24)}`;
    const { result: refused } = await answer(createAcceptance({ class: 'first', day: secret }));
    expect(getForm(refused as Questions, keys[0]).message).toMatch(/was not accepted: input\.day: /);
    expect(JSON.stringify(refused)).not.toContain(secret);
    const { result: credential } = await answer(createAcceptance({ class: 'first', note: secret }));
    expect(getForm(credential as Questions, keys[0]).message).toBe(
      'The answer was not accepted: input.note: looks like a credential, which is not accepted here: the ' +
        'journal keeps answers.\nWhich seats?',
    );
    const { result } = await answer(createAcceptance({ class: 'second', seats: 3 }));
    expect(getTexts(result)[0]).toBe('Booked.');
  });

  it('is described in text if a form cannot express it', async () => {
    const { message } = registerScript({ calls: [{ name: 'value', input: {} }] });
    const { result } = await sendModernRequest(via, 'tools/call', {
      name: 'asker',
      arguments: { message: message() },
    });
    expect(getView(result).outcome).toBe('suspended');
    const long = registerScript({ calls: [{ name: 'long', input: { text: 'x'.repeat(20_000) } }] });
    const params = { name: 'asker', arguments: { message: long.message() } };
    expect(getView((await sendModernRequest(via, 'tools/call', params)).result).outcome).toBe('suspended');
  });

  it.each([
    ['deep', { to: { name: 'Ada' } }, ['approve', 'reject', 'exit']],
    ['reason', { reason: 'Why not' }, ['approve', 'reject']],
    ['stop', {}, ['approve', 'exit']],
  ])(
    'accepts no edit if it is about a call of %s, whose input does not fit a form',
    async (name, input, decisions) => {
      const { first, keys, answer } = await askAgent(
        'asker',
        registerScript({ calls: [{ name, input }] }, 'Done.'),
      );
      const { requestedSchema, message } = getForm(first, keys[0]);
      const { properties } = Object(requestedSchema);
      expect([Object.keys(properties), properties.decision.enum]).toEqual([
        ['decision', 'reason'],
        decisions,
      ]);
      expect(message).toBe(`Tool '${name}' is to be called with ${JSON.stringify(input)}.\nMay I ${name}?`);
      const { result } = await answer(createAcceptance({ decision: 'edit', name: 'Eve' }));
      expect(getForm(result as Questions, keys[0]).message).toBe(
        `The answer was not accepted: input: is missing.\n${message}`,
      );
      expect(getTexts((await answer(approve)).result)[0]).toBe('Done.');
    },
  );

  it('remains open after a decline if it cannot be declined', async () => {
    const { answer } = await askAgent('asker', registerScript({ calls: [{ name: 'only' }] }));
    const { result } = await answer({ action: 'decline' });
    expect(getView(result).outcome).toBe('suspended');
  });
});

describe('the forms of questions', () => {
  it('are declared as a capability by a client that supports them', async () => {
    for (const capabilities of [
      FORM_CAPABILITIES,
      { elicitation: {} },
      { elicitation: { form: {}, url: {} } },
    ]) {
      const { first } = await askAgent('clerk', registerScript({ calls: [createPayCall('nobody')] }), {
        capabilities,
      });
      expect(first.resultType).toBe('input_required');
    }
  });
});
