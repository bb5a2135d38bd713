import { expect, it } from 'vitest';
import { quota, withQuota } from '../../../../src/examples/module/quota.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

const pay = defineTool({ name: 'pay', description: 'Pays.', effect: 'idempotent', run: () => 'paid' });
const clerk = defineAgent({ name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [pay] });
const payReply: ScriptedReply = { calls: [{ name: 'pay', input: {} }] };

it('the example module removes a tool that has reached its call limit, in the next turn too', async () => {
  const session = createTestSession(clerk, {
    replies: [payReply, payReply, 'Paid.', 'No more.'],
    use: [withQuota(2)],
  });
  await session.send('Pay twice.');
  await session.send('Pay again.');
  expect(session.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0, 0]);
  expect(await session.memory(quota)).toEqual({ '(model)': 4, pay: 2 });
});
