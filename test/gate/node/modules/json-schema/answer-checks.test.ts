import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { requireApproval } from '../../../../../src/decorators/entry.ts';
import type { AnyTool, DecisionRequest } from '../../../../../src/index.ts';
import { defineAgent, defineTool } from '../../../../../src/index.ts';
import { defineUnfolding } from '../../../../../src/kinds/entry.ts';
import { answerChecks } from '../../../../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../../../../src/testing/entry.ts';

const base = { name: 'clerk', description: 'Asks.', instructions: '' };
const SCHEMA = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** A tool that asks by itself, and returns what was decided. */
const asking = (request: Partial<DecisionRequest>): AnyTool =>
  defineTool({
    name: 'ask',
    description: 'Asks.',
    effect: 'read',
    run: async (_, call) => JSON.stringify(await call.decide({ message: 'Which?', ...request })),
  });

const sessionOf = (tool: AnyTool, use: Parameters<typeof defineAgent>[0]['use'] = []) =>
  createTestSession(defineAgent({ ...base, tools: [tool], use }), {
    replies: [{ calls: [{ name: tool.name }] }, 'Done.'],
  });

describe('a question of a tool that asks by itself', () => {
  it('lets nobody edit where nothing checks an edit', async () => {
    const session = sessionOf(asking({}));
    await session.send('Go.');
    expect(await session.pending()).toMatchObject([{ allows: ['approve', 'reject', 'exit'] }]);
    expect(await session.decide('ask', 'approve')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it.each([{ schema: SCHEMA }, { allows: ['edit', 'reject'] as const }])(
    'ends the turn as misconfigured if it asks for an input that nothing checks: %j',
    async (request) => {
      const answer = await sessionOf(asking(request)).send('Go.');
      expect(answer).toMatchObject({
        outcome: 'failed',
        error: {
          type: 'misconfigured',
          message:
            "Tool 'ask' asks for an input, which nothing checks in this app. Add `answerChecks` to `use` of createHoldfast, or to the " +
            "`uses` of what makes the tool: import { answerChecks } from 'holdfast/json-schema'.",
        },
      });
    },
  );

  it('takes what its schema says, and refuses anything else, where a module checks it', async () => {
    const session = sessionOf(asking({ schema: SCHEMA }), [answerChecks]);
    await session.send('Go.');
    await expect(session.decide('ask', { decision: 'edit', input: { n: 'two' } })).rejects.toThrow(
      'The answer is not valid: input.n: Instance type "string" is invalid. Expected "number".',
    );
    expect(await session.decide('ask', { decision: 'edit', input: { n: 2 } })).toMatchObject({
      text: 'Done.',
    });
  });
});

describe('an approval of a tool that is made in the turn', () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: v.object({ amount: v.number() }),
    effect: 'read',
    run: ({ amount }) => `Paid ${amount}.`,
  });
  const session = (uses: Parameters<typeof defineUnfolding>[0]['uses']) => {
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

  it('can be edited where what makes it names the module', async () => {
    const named = session([answerChecks]);
    await named.send('Go.');
    await named.decide('pay', { decision: 'edit', input: { amount: 2 } });
    expect(named.requests.at(-1)?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Paid 2.'),
    });
  });

  it('can be edited where it does not: the call looks at the edit when it goes on, and asks again', async () => {
    const unnamed = session([]);
    await unnamed.send('Go.');
    await unnamed.decide('pay', { decision: 'edit', input: { amount: 'two' } });
    expect(await unnamed.pending()).toMatchObject([
      { message: expect.stringContaining('amount: Invalid type: Expected number but received "two"') },
    ]);
    await unnamed.decide('pay', { decision: 'edit', input: { amount: 2 } });
    expect(unnamed.requests.at(-1)?.messages.at(-1)).toMatchObject({
      text: expect.stringContaining('Paid 2.'),
    });
  });
});
