import { expect, it } from 'vitest';
import { CashTill, cashier, Till } from '../../../../src/examples/till/till.ts';
import { toolsOf } from '../../../../src/modules/tool-objects/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

it('the cashier adds up the purchases, and remembers them for the session', async () => {
  const session = createTestSession(cashier, {
    replies: [
      { calls: [{ name: 'look_up_price', input: { item: 'tea' } }] },
      { calls: [{ name: 'add', input: { amount: 2.42 } }] },
      'That is 2.40 CHF.',
      { calls: [{ name: 'add', input: { amount: '1.11' } }, { name: 'total' }] },
      'That is 3.50 CHF.',
    ],
  });
  await session.send('One tea.');
  await session.send('And a biscuit.');
  expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual([
    'add',
    'look_up_price',
    'opening_hours',
    'total',
  ]);
  const results = session.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ text }) => text)).toEqual(['2.4', '2.40 CHF', '3.50 CHF', '2.40 CHF']);
});

it('a class offers its static tools, and an instance offers its own tools', () => {
  const describeTools = (object: object) =>
    toolsOf(object).map(({ name, description }) => [name, description]);
  expect(describeTools(Till)).toEqual([['opening_hours', 'Tell when the tills are open.']]);
  expect(describeTools(new Till('EUR'))).toEqual([
    ['add', 'Add an amount to the till.'],
    ['opening_hours', 'Tell when the tills are open.'],
    ['total', 'Tell what is in the till.'],
  ]);
  expect(describeTools(CashTill)).toEqual([['opening_hours', 'Tell when cash is taken.']]);
});
