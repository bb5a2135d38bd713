/** Tests the examples of docs/tool-sources.md: each source of tools behaves as documented. */
import { expect, it } from 'vitest';
import { cart } from '../../../../src/examples/tool-sources/cart.ts';
import {
  bargains,
  calledTools,
  checkout,
  clerk,
  order,
  shop,
} from '../../../../src/examples/tool-sources/sources.ts';
import { type Agent, defineAgent, type ToolSource } from '../../../../src/index.ts';
import { toolsFor } from '../../../../src/kinds/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';

const createCallReply = (name: string, input: object = {}) => ({ calls: [{ name, input }] });

const createTestAgent = (...tools: readonly ToolSource[]): Agent =>
  defineAgent({ name: 'clerk', description: 'Sells.', instructions: 'Help.', tools });

async function play(agent: Agent, replies: readonly ScriptedReply[], more: object = {}, warm = false) {
  const session = createTestSession(agent, { replies, warm });
  await session.send('Please.', more);
  const read = session.requests.flatMap(({ messages }) => messages.at(-1)?.text ?? []);
  return { read, offered: session.requests.map(({ tools }) => tools.map(({ name }) => name)) };
}

it('a tool factory creates a new cart for each invocation', async () => {
  const agent = createTestAgent(cart);
  const replies = [createCallReply('put', { item: 'pen' }), createCallReply('list'), 'Done.'];
  const warm = await play(agent, replies, {}, true);
  expect(warm.read.slice(1)).toEqual(['1 in the cart', '["pen"]']);
  const cold = await play(agent, replies);
  expect(cold.read.slice(1)).toEqual(['1 in the cart', '[]']);
  const second = await play(agent, [createCallReply('list'), 'Done.']);
  expect(second.read.slice(1)).toEqual(['[]']);
});

it('a facade combines a group, a factory and a provider, and is hidden while it is empty', async () => {
  const replies = [createCallReply('shop'), createCallReply('put', { item: 'pen' }), 'Done.'];
  const { read, offered } = await play(clerk, replies);
  expect(offered).toEqual([['shop'], ['shop', 'list', 'put', 'search'], ['shop', 'list', 'put', 'search']]);
  expect(read[1]).toMatch(
    /^Tools now available: search, list, put\..*\n\nSearch before you promise anything\.$/,
  );
  expect(calledTools).toEqual(['put']);
  const inSale = await play(clerk, [createCallReply('bargains'), createCallReply('sale'), 'Done.'], {
    context: { sale: true },
  });
  expect(inSale.offered).toEqual([
    ['bargains', 'shop'],
    ['bargains', 'shop', 'sale'],
    ['bargains', 'shop', 'sale'],
  ]);
  expect(calledTools).toEqual(['put', 'sale']);
});

it('`toolsFor` returns the tools of a facade', async () => {
  expect((await toolsFor(shop)).map(({ name }) => name)).toEqual(['search', 'list', 'put']);
  expect(await toolsFor(bargains)).toEqual([]);
  const inSale = await toolsFor(bargains, {}, { context: { sale: true } });
  expect(inSale.map(({ name }) => name)).toEqual(['sale']);
});

it('a state of a state machine and a lock of a playbook accept a factory', async () => {
  const ordered = await play(createTestAgent(order), [
    createCallReply('order', { order: '1' }),
    createCallReply('put', { item: 'pen' }),
    createCallReply('list'),
    createCallReply('ship'),
    'Done.',
    'Done.',
  ]);
  expect(ordered.read.slice(2, 5)).toEqual([
    '1 in the cart',
    'This tool is not available in the current state (filled). It is only available in state: open',
    'shipped',
  ]);
  const checkedOut = await play(createTestAgent(checkout), [
    createCallReply('checkout', { order: '1' }),
    createCallReply('put', { item: 'pen' }),
    createCallReply('search'),
    createCallReply('put', { item: 'pen' }),
    'Done.',
    'Done.',
  ]);
  expect(checkedOut.read.slice(2, 5)).toEqual([
    'This tool is not yet available. You must first use: search',
    '["pen","ink"]',
    '1 in the cart',
  ]);
});
