import * as v from 'valibot';
import { artifact, type DomainType, defineDomainType } from '../../../../src/index.ts';
import {
  type Chained,
  chainAny,
  chainFrom,
  chaining,
  defineAgenticTool,
  discover,
} from '../../../../src/kinds/entry.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

const id = v.object({ id: v.string() });

interface Types {
  readonly Customer: DomainType;
  readonly Order: DomainType;
}

/** A customer has orders, and orders are shipped. The result of each call contains its object. */
function createTypes(kit: Kit): Types {
  const Order = defineDomainType({
    name: 'Order',
    schema: v.object({ id: v.string(), of: v.string() }),
    tools: (order) => [
      kit.tool({ name: 'ship', care: 'reconciled', answer: () => `shipped ${order.id} to ${order.of}` }),
    ],
  });
  const Customer = defineDomainType({
    name: 'Customer',
    schema: v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) }),
    tools: (customer) => [
      kit.tool({
        name: 'last_order',
        care: 'read',
        output: Order,
        answer: () => ({ id: `o-${customer.id}`, of: customer.id }),
      }),
      kit.tool({
        name: 'greet',
        care: 'idempotent',
        answer: () => `greeted ${customer.id} of ${customer.since.getUTCFullYear()}`,
      }),
    ],
  });
  return { Customer, Order };
}

const createCustomer = (one: string) => ({ id: one, since: '2020-05-01' });

const getCustomer = (kit: Kit, Customer: DomainType) =>
  kit.tool({
    name: 'get_customer',
    care: 'read',
    input: id,
    output: Customer,
    answer: (input) => createCustomer(input.id),
  });

const listCustomers = (kit: Kit, Customer: DomainType) =>
  kit.tool({
    name: 'list_customers',
    care: 'read',
    answer: () => artifact('Two.', Customer, [createCustomer('c1'), createCustomer('c2')]),
  });

const getCall = (one: string) => ({ name: 'get_customer', input: { id: one } });

/** A second customer replaces the first, and the bound objects are available in the next turn. */
const createChainScenario = (kind: string, entries: (types: Types) => readonly Chained[]): Scenario => ({
  kind,
  agent(kit) {
    const types = createTypes(kit);
    return defineSurvivor([getCustomer(kit, types.Customer)], { use: [chaining(entries(types))] });
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [getCall('c1')] },
        { calls: ['greet', 'last_order'] },
        { calls: ['ship'] },
        { calls: [getCall('c2')] },
        { calls: ['greet'] },
        'Greeted.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['greet', 'last_order'] }, { calls: ['ship'] }, 'Shipped.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
});

/** All objects of a list are bound, each with tools of different names. */
const discoverScenario: Scenario = {
  kind: 'discover',
  agent(kit) {
    const { Customer } = createTypes(kit);
    return defineSurvivor([listCustomers(kit, Customer)], {
      use: [chaining([discover(Customer, { hint: true })])],
    });
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: ['list_customers'] },
        { calls: ['customer_c1_greet', 'customer_c2_greet'] },
        'Greeted.',
      ],
    },
    { to: 'Again.', replies: [{ calls: ['customer_c2_greet'] }, 'Greeted again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

/** An object that is bound in a nested loop, and is available when a loop with the same path starts again. */
const nestedScenario: Scenario = {
  kind: 'chaining-nested',
  agent(kit) {
    const { Customer, Order } = createTypes(kit);
    return defineSurvivor([
      defineAgenticTool({
        name: 'clerk',
        description: 'Serves a customer.',
        input: v.object({ task: v.string() }),
        tools: [getCustomer(kit, Customer)],
        use: [chaining([chainFrom(Customer), chainFrom(Order)])],
      }),
    ]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [{ name: 'clerk', input: { task: 'serve' } }] },
        { calls: [{ name: 'clerk', input: { task: 'go on' } }] },
        'Served.',
      ],
    },
    { to: '"serve"', replies: [{ calls: [getCall('c1')] }, { calls: ['last_order'] }, 'There is an order.'] },
    { to: '"go on"', replies: [{ calls: ['ship', 'greet'] }, 'Shipped.'] },
  ],
  steps: [{ send: 'Go.' }],
};

export const chains: readonly Scenario[] = [
  createChainScenario('chaining', ({ Customer, Order }) => [chainFrom(Customer), chainFrom(Order)]),
  createChainScenario('chaining-any', () => [chainAny()]),
  discoverScenario,
  nestedScenario,
];
