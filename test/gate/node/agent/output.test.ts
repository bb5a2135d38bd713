import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import {
  AgentDefinitionError,
  type AnyTool,
  artifact,
  defineAgent,
  defineTool,
  type InputDeclaration,
  replan,
  text,
} from '../../../../src/index.ts';
import { nest } from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { defineTransformer } from '../../../../src/modules/transformers/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { waitForEvent } from '../../../fixtures/stored.ts';
import { advanceUntilSettled, LEASE_MS } from '../session/former-holder.ts';
import { createClockedApp } from '../session/memory-app.ts';

const Bill = v.object({
  total: v.number(),
  due: v.optional(v.pipe(v.string(), v.trim()), ' today '),
});
const BILL = '{"total":7,"due":"soon"}';
const base = { name: 'biller', description: 'Bills.', instructions: 'Write the bill.' };
const biller = defineAgent({ ...base, output: Bill });

const createSession = (
  replies: readonly ScriptedReply[],
  more: { tools?: readonly AnyTool[] } = {},
  warm = false,
) => createTestSession(defineAgent({ ...base, output: Bill, ...more }), { replies, warm });
const runWithReply = async (reply: string) => createSession([reply, reply]).send('Bill me.');

const SCHEMA =
  '{"type":"object","properties":{"total":{"type":"number"},"due":{"type":"string","default":" today "}},' +
  '"required":["total"]}';
const NUMBER_PROBLEM = 'total: Invalid type: Expected number but received "seven"';
const REJECTION =
  `Your answer does not have the form that was asked for:\n- ${NUMBER_PROBLEM}\n- due: Invalid type: ` +
  'Expected string but received 3\nAnswer again with the corrected JSON text, and nothing else.';

describe('an agent with an output', () => {
  it('describes the form in text to the model, and as a schema to adapters that can enforce it', async () => {
    const session = createSession([BILL]);
    await session.send('Bill me.');
    expect(session.requests[0]).toEqual({
      messages: [
        {
          role: 'system',
          text:
            'Write the bill.\n\nWhen you give your answer, write it as JSON text that matches this JSON Schema, ' +
            `and nothing else:\n${SCHEMA}`,
        },
        { role: 'user', text: 'Bill me.' },
      ],
      tools: [],
      output: { name: 'biller', schema: JSON.parse(SCHEMA) },
    });
  });

  it('uses the same form object in every request, so that adapters need not render it again', async () => {
    const session = createSession([BILL, BILL]);
    await session.send('Bill me.');
    await session.send('Again.');
    expect(session.requests[1]?.output).toBe(session.requests[0]?.output);
  });

  it('returns and journals the object that the schema parses from the text', async () => {
    const session = createSession(['{"total":7}']);
    const answer = await session.send('Bill me.');
    expect(answer).toMatchObject({
      outcome: 'completed',
      text: '{"total":7}',
      object: { total: 7, due: 'today' },
    });
    expect((await session.events()).at(-1)).toMatchObject({
      type: 'turn-ended',
      object: { total: 7, due: 'today' },
    });
  });

  it.each([
    ['in a code fence', '```json\n{"total":7,"due":"soon"}\n```'],
    ['in a code fence without a language', '```\n{"total":7,"due":"soon"}\n```'],
    ['in a code fence with text around it', 'Here you are:\n```json\n{"total":7,"due":"soon"}\n```\nDone.'],
    ['in a code fence that is not closed', '```json\n{"total":7,"due":"soon"}'],
    ['that contains a code fence', '```json\n{"total":7,"due":"```soon```"}\n```'],
    ['with blank lines around it', ` \n${BILL}\n`],
  ])('reads JSON text %s', async (_, reply) => {
    expect((await runWithReply(reply)).object).toMatchObject({ total: 7 });
  });

  it('returns the object from the model if the output of the schema is not JSON', async () => {
    const shared = v.object({
      at: v.pipe(
        v.string(),
        v.transform((at) => BigInt(at.length)),
      ),
    });
    const agent = defineAgent({ ...base, output: shared });
    const session = createTestSession(agent, { replies: ['{"at":"2026-01-01"}'] });
    expect((await session.send('When?')).object).toEqual({ at: '2026-01-01' });
  });

  it('returns the result of `toJSON` if the output of the schema has that method', async () => {
    const agent = defineAgent({ ...base, output: v.object({ at: v.pipe(v.string(), v.toDate()) }) });
    const session = createTestSession(agent, { replies: ['{"at":"2026-01-01"}'] });
    expect((await session.send('When?')).object).toEqual({ at: '2026-01-01T00:00:00.000Z' });
  });

  it('parses the answer after transformers have changed its text', async () => {
    const hide = defineTransformer({ name: 'hide', reply: (words) => words.replaceAll('soon', '***') });
    const agent = defineAgent({ ...base, output: Bill, use: [hide] });
    const answer = await createTestSession(agent, { replies: [BILL] }).send('Bill me.');
    expect(answer).toMatchObject({ text: '{"total":7,"due":"***"}', object: { total: 7, due: '***' } });
  });

  it('accepts plain JSON Schema', async () => {
    const output = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
    const session = createTestSession(defineAgent({ ...base, output: jsonSchema(output) }), {
      replies: ['{"total":7,"x":1}'],
    });
    expect((await session.send('Bill me.')).object).toEqual({ total: 7, x: 1 });
  });

  it('does not request a form or return an object if it declares no output', async () => {
    const session = createTestSession(defineAgent(base), { replies: [BILL] });
    expect(await session.send('Bill me.')).not.toHaveProperty('object');
    expect(session.requests[0]).not.toHaveProperty('output');
  });

  it.each<[string, InputDeclaration]>([
    ['text', v.string()],
    ['a list', jsonSchema({ type: 'array' })],
  ])('is refused if its output is %s, because the answer must be an object', (_, output) => {
    const define = () => defineAgent({ ...base, output });
    expect(define).toThrow(AgentDefinitionError);
    expect(define).toThrow(
      expect.objectContaining({
        field: 'output',
        message: expect.stringMatching(/^Agent 'biller' has an output that must be an object schema[,.]/),
      }),
    );
  });
});

it('receives an answer in its form from the offline model', async () => {
  const session = createTestSession(biller, { model: offlineModel() });
  expect(await session.send('Bill me a total of 12.')).toMatchObject({
    outcome: 'completed',
    object: { total: expect.any(Number) },
  });
});

describe('an answer that does not fit the form', () => {
  const wrong = '{"total":"seven","due":3}';

  it('is journaled as rejected with every problem, and the model can correct it', async () => {
    const session = createSession([wrong, BILL], {}, true);
    expect(await session.send('Bill me.')).toMatchObject({
      outcome: 'completed',
      text: BILL,
      object: { total: 7, due: 'soon' },
    });
    expect(session.requests[1]?.messages.slice(1)).toEqual([
      { role: 'user', text: 'Bill me.' },
      { role: 'assistant', text: wrong, toolCalls: [] },
      { role: 'user', text: REJECTION },
    ]);
    expect((await session.events()).map(({ type }) => type)).toEqual([
      'session-opened',
      'turn-started',
      'model-replied',
      'answer-rejected',
      'model-replied',
      'turn-ended',
    ]);
  });

  it.each([
    ['Seven.', 'It is not JSON text.'],
    ['null', 'It is null, not a JSON object.'],
    ['[7]', 'It is an array, not a JSON object.'],
    ['7', 'It is a number, not a JSON object.'],
    ['```json\n"seven"\n```', 'It is a string, not a JSON object.'],
  ])('is rejected with a description of its actual content: %j', async (reply, problem) => {
    const session = createSession([reply, BILL]);
    await session.send('Bill me.');
    expect(session.requests[1]?.messages.at(-1)).toMatchObject({
      text:
        `Your answer does not have the form that was asked for:\n- ${problem}\n` +
        'Answer again with the corrected JSON text, and nothing else.',
    });
  });

  it('can be followed by tool calls before the corrected answer', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seven' });
    const session = createSession(['?', { calls: [{ name: 'look' }] }, BILL], { tools: [look] });
    expect(await session.send('Bill me.')).toMatchObject({ outcome: 'completed', object: { total: 7 } });
  });

  it('fails the turn if the second answer does not fit either, but the session continues', async () => {
    const session = createSession(['Seven.', wrong, BILL]);
    const failed = await session.send('Bill me.');
    expect(failed).toMatchObject({
      outcome: 'failed',
      text: '',
      error: {
        type: 'invalid-output',
        message:
          "The model's answer does not have the form of the agent's output, even after a retry: " +
          `${NUMBER_PROBLEM} due: Invalid type: Expected string but received 3`,
      },
    });
    expect(failed).not.toHaveProperty('object');
    expect(await session.send('Again.')).toMatchObject({ outcome: 'completed', object: { total: 7 } });
  });

  it('can be corrected once in each turn', async () => {
    const session = createSession(['One', BILL, 'Two', BILL]);
    await session.send('Bill me.');
    expect(await session.send('Again.')).toMatchObject({ outcome: 'completed', object: { total: 7 } });
  });

  it('is also rejected if a check in the schema throws', async () => {
    const output = v.pipe(
      Bill,
      v.check(() => {
        throw new Error('no rates');
      }),
    );
    const session = createTestSession(defineAgent({ ...base, output }), { replies: [BILL, BILL] });
    expect(await session.send('Bill me.')).toMatchObject({
      error: {
        type: 'invalid-output',
        message: expect.stringContaining('It could not be checked: no rates'),
      },
    });
  });

  it('leads to a correction request that has no author in the conversation', async () => {
    const session = createSession([wrong, BILL]);
    await session.send('Bill me.');
    expect((await session.state()).messages.map((one) => (one.role === 'user' ? one.by : one.role))).toEqual([
      undefined,
      'assistant',
      'loop',
      'assistant',
    ]);
  });
});

describe('an answer that cannot be requested again', () => {
  const createDirectTool = (content: string) =>
    defineTool({
      name: 'bill',
      description: 'Bills.',
      effect: 'read',
      returnDirect: true,
      run: () => artifact(content, { total: 7 }),
    });
  const calls = { calls: [{ name: 'bill' }] };

  it('yields an object only if the directly returned result fits the form', async () => {
    expect(await createSession([calls], { tools: [createDirectTool(BILL)] }).send('Bill me.')).toMatchObject({
      outcome: 'returned-direct',
      object: { total: 7, due: 'soon' },
    });
    const other = await createSession([calls], { tools: [createDirectTool('Billed.')] }).send('Bill me.');
    expect(other).toMatchObject({ outcome: 'returned-direct', text: 'Billed.' });
    expect(other).not.toHaveProperty('object');
  });

  it.each([
    ['iterations', { iterations: 1 }, [calls, 'No.'], [calls, BILL]],
    ['tool calls', { toolCalls: 1 }, [calls, calls, 'No.'], [calls, calls, BILL]],
  ])('yields an object at the limit of %s only if it fits the form', async (_, bound, no, yes) => {
    const look = defineTool({ name: 'bill', description: 'Bills.', effect: 'read', run: () => 'seven' });
    const bounds = 'iterations' in bound ? { limits: bound } : { use: [callLimits(bound)] };
    const agent = defineAgent({ ...base, output: Bill, tools: [look], ...bounds });
    const without = createTestSession(agent, { replies: no });
    expect(await without.send('Bill me.')).not.toHaveProperty('object');
    expect(await without.state()).toMatchObject({ turn: { outcome: 'limit-reached' } });
    expect((await without.events()).map(({ type }) => type)).not.toContain('answer-rejected');
    expect(await createTestSession(agent, { replies: yes }).send('Bill me.')).toMatchObject({
      outcome: 'limit-reached',
      object: { total: 7, due: 'soon' },
    });
  });

  it('yields no object if a signal ended the turn', async () => {
    const stop = defineTool({
      name: 'bill',
      description: 'Bills.',
      run: () => {
        throw replan('Other plans.');
      },
    });
    const session = createSession([{ text: BILL, ...calls }], { tools: [stop] });
    const answer = await session.send('Bill me.');
    expect(answer).toMatchObject({ outcome: 'completed', signal: { type: 'replan' } });
    expect(answer).not.toHaveProperty('object');
    expect((await session.events()).map(({ type }) => type)).not.toContain('answer-rejected');
  });
});

it('a nested loop of an agent with an output answers in plain text', async () => {
  const dig: AnyTool = {
    ...defineTool({ name: 'dig', description: 'Digs.', run: () => '' }),
    effect: 'none',
    call: async (_, call) =>
      text((await nest(call, { name: 'dig', instructions: 'Dig.', message: 'Dig.', tools: [] })).text),
  };
  const session = createSession([{ calls: [{ name: 'dig' }] }, 'Dug.', BILL], { tools: [dig] });
  expect(await session.send('Bill me.')).toMatchObject({ object: { total: 7 } });
  expect(session.requests.map(({ output }) => output?.name)).toEqual(['biller', undefined, 'biller']);
  expect(session.requests[1]?.messages[0]).toEqual({ role: 'system', text: 'Dig.' });
});

describe('an agent with an output, after its Worker is killed', () => {
  /** This reply kills the Worker during the second model call, once the rejection is stored. */
  const dieAfterRejection =
    (reply: string): ScriptedReply =>
    async () => {
      await waitForEvent(session, ({ type }) => type === 'answer-rejected');
      session.kill();
      return reply;
    };
  let session: TestSession<v.InferOutput<typeof Bill>>;
  const start = (replies: readonly ScriptedReply[], warm = false) => {
    session = createTestSession(biller, { replies, warm });
    return session.send('Bill me.');
  };

  it('does not repeat the rejection of an answer if the kill came before the next answer', async () => {
    expect(await start(['Seven.', dieAfterRejection(BILL), BILL], true)).toMatchObject({
      object: { total: 7 },
    });
    expect(await readEventTypes(session)).toEqual(['answer-rejected', 'turn-resumed']);
    expect(session.requests.map(({ messages }) => messages.length)).toEqual([2, 4, 4]);
  });

  it('does not give the model a third attempt', async () => {
    expect(await start(['Seven.', dieAfterRejection('Eight.'), 'Nine.', BILL])).toMatchObject({
      outcome: 'failed',
      error: { type: 'invalid-output' },
    });
    expect(session.requests).toHaveLength(3);
  });

  it('checks a stored answer that the killed Worker had not checked', async () => {
    let parsed = 0;
    const output = v.objectAsync({
      total: v.pipeAsync(
        v.number(),
        v.checkAsync(async () => {
          parsed += 1;
          if (parsed === 1) {
            await waitForEvent(dying, ({ type }) => type === 'model-replied');
            dying.kill();
          }
          return true;
        }),
      ),
    });
    const dying: TestSession = createTestSession(defineAgent({ ...base, output }), {
      replies: ['{"total":7}'],
    });
    expect(await dying.send('Bill me.')).toMatchObject({ outcome: 'completed', object: { total: 7 } });
    expect([parsed, dying.requests.length]).toEqual([2, 1]);
  });

  const readEventTypes = async ({ events }: Pick<TestSession, 'events'>): Promise<string[]> =>
    (await events()).flatMap(({ type }) =>
      type === 'answer-rejected' || type === 'turn-resumed' ? [type] : [],
    );
});

it('a turn can be cancelled while the schema of its output is still pending', async () => {
  const check = vi.fn(() => new Promise<boolean>(() => {}));
  const app = createClockedApp({
    output: v.objectAsync({ total: v.pipeAsync(v.number(), v.checkAsync(check)) }),
    replies: ['{"total":7}'],
    leaseMs: LEASE_MS,
  });
  const end = app.say('Bill me.');
  await app.clock.advance(0);
  expect(check).toHaveBeenCalled();
  const page = await app.port.read({ from: 1 });
  await app.port.post({ kind: 'cancel', turn: page?.openTurn?.id ?? '', body: '{}' });
  expect(await advanceUntilSettled(app.clock, end)).toMatchObject({
    status: 'ended',
    turn: { outcome: 'cancelled' },
  });
});
