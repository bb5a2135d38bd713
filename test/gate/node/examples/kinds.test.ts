/** Tests the examples of docs/tools.md: each kind of tool behaves as documented. */

import { expect, it } from 'vitest';
import { settle } from '../../../../src/examples/kinds/agentic.ts';
import { approvedRefund } from '../../../../src/examples/kinds/approval.ts';
import { carefulAgent } from '../../../../src/examples/kinds/careful.ts';
import { correspondent } from '../../../../src/examples/kinds/chaining.ts';
import { clerk, orders as orderGroup } from '../../../../src/examples/kinds/group.ts';
import { selfAwareAgent } from '../../../../src/examples/kinds/inside.ts';
import { Calendar } from '../../../../src/examples/kinds/objects.ts';
import { policy } from '../../../../src/examples/kinds/one-shot.ts';
import { refundWhole } from '../../../../src/examples/kinds/pipeline.ts';
import { refunding } from '../../../../src/examples/kinds/playbook.ts';
import { findOrder } from '../../../../src/examples/kinds/shop.ts';
import { handOver } from '../../../../src/examples/kinds/signals.ts';
import { order } from '../../../../src/examples/kinds/state-machine.ts';
import { refundsOnceFound } from '../../../../src/examples/kinds/strategy.ts';
import { desk } from '../../../../src/examples/kinds/subagent.ts';
import { orders } from '../../../../src/examples/kinds/unfolding.ts';
import { type Agent, defineAgent, type ToolSource } from '../../../../src/index.ts';
import { toolGroups as registered } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession, type ScriptedReply, type TestSession } from '../../../../src/testing/entry.ts';

const createTestAgent = (...tools: readonly ToolSource[]): Agent =>
  defineAgent({ name: 'shop', description: 'Helps.', instructions: 'Help.', tools });

const paid: unknown[] = [];
const stubs = {
  refund_order: (input: unknown) => {
    paid.push(input);
    return { reference: 'R-1' };
  },
};

/** Plays the replies. Returns the answer and the names of the tools that each request offered. */
async function play(agent: Agent, replies: readonly ScriptedReply[], more: object = {}) {
  paid.length = 0;
  const session: TestSession = createTestSession(agent, { replies, ...more });
  const answer = await session.send('Please.');
  const offered = session.requests.map(({ tools }) => tools.map(({ name }) => name));
  const told = session.requests.map(({ messages }) => messages.at(-1)?.text);
  return { session, answer, offered, told };
}

const find = { calls: [{ name: 'find_order', input: { orderId: 1001 } }] };
const refund = { calls: [{ name: 'refund_order', input: { orderId: 1001, amount: 45.9 } }] };

it('an unfolding tool hides its tools until it is called', async () => {
  const { offered, answer } = await play(createTestAgent(orders), [
    { calls: [{ name: 'orders' }] },
    find,
    'Found.',
  ]);
  expect(offered).toEqual([
    ['orders'],
    ['orders', 'find_order', 'refund_order'],
    ['orders', 'find_order', 'refund_order'],
  ]);
  expect(answer).toMatchObject({ outcome: 'completed', text: 'Found.' });
});

it('an approval suspends the turn until a reviewer with the role has decided', async () => {
  const { answer } = await play(createTestAgent(approvedRefund), [refund, 'Done.'], { stubs });
  expect(answer).toMatchObject({
    outcome: 'suspended',
    pending: [{ message: 'Refund 45.9 euro of order 1001?', by: 'manager' }],
  });
  expect(paid).toEqual([]);
});

it('a one-shot tool returns its result once per loop, and then only a note', async () => {
  const read = { calls: [{ name: 'read_policy' }] };
  const { session, told } = await play(createTestAgent(policy), [read, read, 'Within 30 days.']);
  expect(session.requests[0]?.tools[0]?.description).toBe(
    "Read the shop's policy on refunds. Read it before you promise anything",
  );
  expect(told[1]).toBe('Refunds are paid within 30 days.');
  expect(told[2]).toContain('Answer now from the policy above.');
});

it('an agentic tool runs its own loop', async () => {
  const call = { name: 'settle_complaint', input: { orderId: 1001, complaint: 'Broken.' } };
  const { offered, answer } = await play(
    createTestAgent(settle),
    [{ calls: [call] }, refund, 'Refunded 45.90.', 'Settled.'],
    { stubs },
  );
  expect(offered).toEqual([
    ['settle_complaint'],
    ['find_order', 'refund_order'],
    ['find_order', 'refund_order'],
    ['settle_complaint'],
  ]);
  expect(answer).toMatchObject({ text: 'Settled.', toolCalls: 2 });
});

it('a subagent runs with its own instructions, and returns its answer as the result', async () => {
  const ask = { calls: [{ name: 'researcher', input: { question: 'Where?' } }] };
  const { told, answer } = await play(desk, [ask, find, 'In Bergen.', 'It is in Bergen.']);
  expect(told[3]).toBe('In Bergen.');
  expect(answer).toMatchObject({ outcome: 'completed', text: 'It is in Bergen.' });
});

it('a playbook returns the missing steps of a locked tool, and then unlocks it', async () => {
  const begin = { calls: [{ name: 'refund_by_the_book', input: { orderId: 1001 } }] };
  const { told } = await play(
    createTestAgent(refunding),
    [begin, refund, find, refund, 'Refunded.', 'Done.'],
    {
      stubs,
    },
  );
  expect(told[2]).toContain('find_order');
  expect(paid).toEqual([{ orderId: 1001, amount: 45.9 }]);
});

it('a state machine changes its state when a tool succeeds, and then refuses the tools of other states', async () => {
  const work = { calls: [{ name: 'work_on_order', input: { orderId: 1001 } }] };
  const { told } = await play(createTestAgent(order), [work, refund, refund, 'Refunded.', 'Done.'], {
    stubs,
  });
  expect(paid).toHaveLength(1);
  expect(told[3]).toContain('refunded');
});

it('an object that a call returns adds its tools', async () => {
  const { told, answer } = await play(correspondent, [
    { calls: [{ name: 'find_customer', input: { id: 'c1' } }] },
    { calls: [{ name: 'write_letter', input: { words: 'thank you.' } }] },
    'Written.',
  ]);
  expect(told[2]).toBe('Dear Maren, thank you.');
  expect(answer).toMatchObject({ outcome: 'completed' });
});

it('a pipeline passes the result of each step to the next step', async () => {
  const call = { name: 'refund_whole_order', input: { orderId: 1001 } };
  const { answer } = await play(createTestAgent(refundWhole), [{ calls: [call] }, 'Done.'], { stubs });
  expect(answer).toMatchObject({ outcome: 'completed' });
  expect(paid).toEqual([{ orderId: 1001, amount: 45.9 }]);
});

it('the methods of an object are tools', async () => {
  const call = { name: 'free_days', input: { month: '2026-12' } };
  const { told } = await play(createTestAgent(new Calendar()), [{ calls: [call] }, 'The 3rd and the 17th.']);
  expect(told[1]).toContain('2026-12-17');
});

it('a strategy offers a tool after another tool was called', async () => {
  const agent = defineAgent({
    name: 'shop',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [findOrder],
    use: [refundsOnceFound],
  });
  const { offered } = await play(agent, [find, 'Found.']);
  expect(offered).toEqual([['find_order'], ['find_order', 'refund_order']]);
});

it('a signal ends the turn from inside a call', async () => {
  const { answer } = await play(createTestAgent(handOver), [{ calls: [{ name: 'hand_over_to_a_person' }] }]);
  expect(answer).toMatchObject({ outcome: 'cancelled' });
});

it('the tools of the current turn are all offered', async () => {
  const { offered } = await play(selfAwareAgent, [
    { calls: [{ name: 'progress', input: { status: 'Looking' } }] },
    'Done.',
  ]);
  expect(offered[0]?.toSorted()).toEqual([
    'agent_process',
    'blackboard',
    'communicate',
    'human_input',
    'progress',
    'read_result',
    'schedule_message',
  ]);
});

it('an agent with an output returns an object that matches its schema', async () => {
  const reply = '{"refunded":true,"words":"Refunded 45.90."}';
  const { answer } = await play(carefulAgent, [find, refund, reply], { stubs });
  expect(answer).toMatchObject({ object: { refunded: true, words: 'Refunded 45.90.' } });
});

it('a tool group provides the tools of a role that an agent asks for', async () => {
  const { offered } = await play(clerk, ['Hello.'], { use: [registered([orderGroup])] });
  expect(offered).toEqual([['find_order', 'refund_order']]);
});
