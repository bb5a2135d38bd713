/** Tests that the content of a reply is sent back to its provider, whatever the outcome of its calls is. */

import { describe, expect, it } from 'vitest';
import { type AnyTool, defineAgent, defineTool, error } from '../../../../src/index.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import {
  createToolCallingManager,
  defineToolCallingOptions,
} from '../../../../src/modules/tool-calling/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';
import { createSignedReply, createSigningModel, listHeldSignatures, type SignedReply } from './signed.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

const startSession = (
  tools: readonly AnyTool[],
  replies: readonly ScriptedReply[],
  iterations?: number,
): TestSession =>
  createTestSession(
    defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: '',
      tools,
      ...(iterations !== undefined && { limits: { iterations } }),
    }),
    { model: createSigningModel(replies) },
  );

const lastReply = createSignedReply('last', { text: 'Done.' });

/** Returns the results in the next request. */
const getLastResults = ({ requests }: TestSession) =>
  requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? [`${one.id} ${one.text}`] : []));

describe('a reply of parts', () => {
  const paid: SignedReply = createSignedReply('pay', {
    calls: ['look', ['pay', '{"to":"Ann"}'], 'nothing', 'fails'],
  });
  const fails = defineTool({ name: 'fails', description: 'Fails.', run: () => error('It is closed.') });
  const pay = requireApproval(
    defineTool({
      name: 'pay',
      description: 'Pays.',
      input: jsonSchema({ type: 'object', properties: { to: { type: 'string' } } }),
      run: (input) => `paid ${JSON.stringify(input)}`,
    }),
    () => 'Pay?',
  );

  it.each([
    ['approve', { decision: 'approve' }, /^pay_1 paid \{"to":"Ann"\}$/],
    ['edit', { decision: 'edit', input: { to: 'Bob' } }, /^pay_1 .*Bob/s],
    ['reject', { decision: 'reject', reason: 'No.' }, /^pay_1 Error: .*No\./s],
  ] as const)(
    'is sent back complete after a decision about one of its calls: %s',
    async (_, decision, told) => {
      const session = startSession([look, pay, fails], [paid, lastReply, 'Yes.']);
      expect(await session.send('Go.')).toMatchObject({ outcome: 'suspended' });
      session.restart();
      expect(await session.decide('pay', decision)).toMatchObject({ outcome: 'completed', text: 'Done.' });
      session.restart();
      await session.send('Yes?');
      expect(listHeldSignatures(session.requests, [paid, lastReply])).toEqual([[], [0], [0, 1]]);
      expect(getLastResults(session)).toEqual([
        'pay_0 seen',
        expect.stringMatching(told),
        expect.stringMatching(/^pay_2 Error: .*nothing/s),
        'pay_3 Error: It is closed.',
      ]);
    },
  );

  it('is sent back complete in the next turn if its own turn was cancelled during its calls', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Is slow.',
      effect: 'read',
      run: async (_, { signal }): Promise<string> => {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await session.cancel();
        await stopped;
        return 'late';
      },
    });
    const cut = createSignedReply('cut', { text: 'Wait.', calls: ['look', 'slow', 'look'] });
    const session = startSession([look, slow], [cut, lastReply]);
    expect(await session.send('Go.')).toMatchObject({ outcome: 'cancelled' });
    session.restart();
    expect(await session.send('Again.')).toMatchObject({ outcome: 'completed' });
    expect(listHeldSignatures(session.requests, [cut])).toEqual([[], [0]]);
    expect(getLastResults(session)).toHaveLength(3);
  });

  it('keeps the tool names that its model wrote, even if the loop corrects them', async () => {
    const loud = createSignedReply('loud', { calls: ['LOOK', 'look'] });
    const session = createTestSession(
      defineAgent({
        name: 'tester',
        description: 'Tests.',
        instructions: '',
        tools: [look],
        policies: { unknownTools: { autoExecute: true } },
      }),
      { model: createSigningModel([loud, lastReply, 'Yes.']) },
    );
    await session.send('Go.');
    session.restart();
    await session.send('Yes?');
    expect(listHeldSignatures(session.requests, [loud, lastReply])).toEqual([[], [0], [0, 1]]);
    expect(session.requests.at(-1)?.messages.slice(1, 4)).toMatchObject([
      { toolCalls: [{ name: 'LOOK' }, { name: 'look' }] },
      { role: 'tool', name: 'LOOK', text: 'seen' },
      { role: 'tool', name: 'look', text: 'seen' },
    ]);
    const { messages } = await session.state();
    expect(messages[1]).toMatchObject({ calls: [{ name: 'look' }, { name: 'look' }] });
  });

  it('loses its calls and its parts, but not its text, if calls are no longer allowed', async () => {
    const eager = createSignedReply('eager', { text: 'My best.', calls: ['look'] });
    const session = startSession(
      [look],
      [createSignedReply('one', { calls: ['look'] }), eager, lastReply],
      1,
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'limit-reached', text: 'My best.' });
    session.restart();
    await session.send('Again.');
    expect(
      listHeldSignatures(session.requests.slice(-1), [createSignedReply('one', { calls: ['look'] })]),
    ).toEqual([[0]]);
    expect(session.requests.at(-1)?.messages.slice(-2)).toEqual([
      { role: 'assistant', text: 'My best.', toolCalls: [] },
      { role: 'user', text: 'Again.' },
    ]);
  });

  it('is kept complete in the history of a program that calls the model itself', async () => {
    const reply = createSignedReply('own', {
      text: 'Well.',
      calls: ['look', 'look'],
      provider: { maker: 1 },
    });
    const model = createSigningModel([reply]);
    const said = await model.ask({ messages: [], tools: [] }, { signal: new AbortController().signal });
    const { history } = await createToolCallingManager({}).executeToolCalls(
      [{ role: 'user', text: 'Go.' }],
      said,
      defineToolCallingOptions({ tools: [look] }),
    );
    expect(listHeldSignatures([{ messages: history, tools: [] }], [reply])).toEqual([[0]]);
  });
});
