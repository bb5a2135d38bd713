import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { AnyTool, Question } from '../../../../../src/index.ts';
import { artifact, defineAgent, defineDomainType, defineTool, eachTool } from '../../../../../src/index.ts';
import { chainFrom, chaining, defineUnfolding } from '../../../../../src/kinds/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { requireApproval } from '../../../../../src/modules/decorators/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';

const base = { name: 'clerk', description: 'Asks.', instructions: '' };
const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

const MISSING_MODULE_ERROR = {
  type: 'misconfigured',
  message:
    "Tool 'ask' asks a question, which needs the module `answers`. Import it from 'holdfast/answers' and add it to `use`.",
};

/** A tool that asks inside `run`, and returns the decision. */
const createAskingTool = (
  request: Partial<Omit<Question<'decision'>, 'meanwhile' | 'checkpoint'>>,
): AnyTool =>
  defineTool({
    name: 'ask',
    description: 'Asks.',
    effect: 'read',
    run: async (_, call) =>
      JSON.stringify(await call.ask({ for: 'decision', message: 'Which?', ...request })),
  });

const startSession = (tool: AnyTool, use: Parameters<typeof defineAgent>[0]['use'] = []) =>
  createTestSession(defineAgent({ ...base, tools: [tool], use }), {
    replies: [{ calls: [{ name: tool.name }] }, 'Done.'],
  });

describe('a question that a tool asks inside `run`', () => {
  it('ends the turn as misconfigured if the app lacks the module `answers`', async () => {
    expect(await startSession(createAskingTool({})).send('Go.')).toMatchObject({
      outcome: 'failed',
      error: MISSING_MODULE_ERROR,
    });
  });

  it('accepts answers that match its schema, and rejects others', async () => {
    const session = startSession(createAskingTool({ schema: SCHEMA }), [answers]);
    await session.send('Go.');
    await expect(session.decide('ask', { decision: 'edit', input: { n: 'two' } })).rejects.toThrow(
      'The answer is not valid: input.n: Instance type "string" is invalid. Expected "number".',
    );
    expect(await session.decide('ask', { decision: 'edit', input: { n: 2 } })).toMatchObject({
      text: 'Done.',
    });
  });
});

describe('an approval of a tool that is created during the turn', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ amount: v.number() }),
    effect: 'read',
    run: ({ amount }) => `Paid ${amount}.`,
  });
  const createUnfoldingSession = (uses: Parameters<typeof defineUnfolding>[0]['uses']) => {
    const more = defineUnfolding({
      name: 'more',
      description: 'More.',
      tools: () => [requireApproval(pay, 'May I?')],
      uses,
    });
    return createTestSession(defineAgent({ ...base, tools: [more] }), {
      replies: [{ calls: [{ name: 'more' }] }, { calls: [{ name: 'pay', input: { amount: 1 } }] }, 'Done.'],
    });
  };

  it('can be edited if the unfolding tool around it names the module', async () => {
    const named = createUnfoldingSession([answers]);
    await named.send('Go.');
    await named.decide('pay', { decision: 'edit', input: { amount: 2 } });
    expect(named.requests.at(-1)?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Paid 2.'),
    });
  });

  it('ends the turn as misconfigured if the unfolding tool around it does not name the module', async () => {
    expect(await createUnfoldingSession([]).send('Go.')).toMatchObject({
      outcome: 'failed',
      error: { ...MISSING_MODULE_ERROR, message: MISSING_MODULE_ERROR.message.replace('ask', 'pay') },
    });
  });
});

describe('an approval of an inner tool', () => {
  const pay = defineTool({ name: 'pay', description: 'Pays.', run: () => 'Paid.' });
  const requireAnswer = (tool: AnyTool): AnyTool => requireApproval(tool, 'May I?');

  it('needs no entry in `use` if it decorates each inner tool of an unfolding tool', async () => {
    const bank = defineUnfolding({ name: 'bank', description: 'A bank.', tools: [pay] });
    const session = createTestSession(defineAgent({ ...base, tools: eachTool([bank], requireAnswer) }), {
      replies: [{ calls: [{ name: 'bank' }] }, { calls: [{ name: 'pay' }] }, 'Done.'],
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended', pending: [{ tool: 'pay' }] });
    expect(await session.decide('pay', { decision: 'approve' })).toMatchObject({ text: 'Done.' });
  });

  it('needs no entry in `use` if objects of a domain type have the tool', async () => {
    const Order = defineDomainType({
      name: 'Order',
      schema: v.object({ id: v.string() }),
      id: ({ id }) => id,
      tools: () => [requireAnswer(pay)],
    });
    const find = defineTool({
      name: 'find',
      description: 'Finds.',
      effect: 'read',
      output: Order,
      run: () => artifact('Found.', Order, { id: '1' }),
    });
    const session = createTestSession(
      defineAgent({ ...base, tools: [find], use: [chaining([chainFrom(Order)])] }),
      {
        replies: [{ calls: [{ name: 'find' }] }, { calls: [{ name: 'pay' }] }, 'Done.'],
      },
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended', pending: [{ tool: 'pay' }] });
  });
});
