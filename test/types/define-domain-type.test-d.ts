import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, type DomainType, defineAgent, defineDomainType, defineTool } from '../../src/index.ts';
import {
  type ChainedType,
  chainAny,
  chainFrom,
  chaining,
  type DiscoveredType,
  defineAgenticTool,
  discover,
} from '../../src/kinds/entry.ts';

interface CustomerValue {
  id: string;
  since: Date;
}
interface OrderValue {
  number: number;
}

const CustomerSchema = v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) });
const OrderSchema = v.object({ number: v.number() });

// `id` and `tools` receive the schema's output.
const Customer = defineDomainType({
  name: 'Customer',
  schema: CustomerSchema,
  id: (customer) => {
    expectTypeOf(customer).toEqualTypeOf<CustomerValue>();
    return customer.id;
  },
  tools: (customer) => {
    expectTypeOf(customer).toEqualTypeOf<CustomerValue>();
    return [defineTool({ name: 'since', description: 'Since.', run: () => customer.since.toISOString() })];
  },
});
const Order = defineDomainType({ name: 'Order', schema: OrderSchema, id: ({ number }) => number });
expectTypeOf(Customer).toEqualTypeOf<
  DomainType<'Customer', CustomerValue, v.InferInput<typeof CustomerSchema>>
>();

// Tools for one type of objects do not fit another type.
const createOrderTools = (_: OrderValue): readonly AnyTool[] => [];
defineDomainType({ name: 'Order', schema: OrderSchema, tools: createOrderTools });
// @ts-expect-error these are tools for orders
defineDomainType({ name: 'Customer', schema: CustomerSchema, tools: createOrderTools });
// @ts-expect-error this is the id of an order
defineDomainType({ name: 'Customer', schema: CustomerSchema, id: ({ number }: OrderValue) => number });
// @ts-expect-error an id is text or a number
defineDomainType({ name: 'Customer', schema: CustomerSchema, id: ({ since }) => since });
// @ts-expect-error a customer has no such property
defineDomainType({ name: 'Customer', schema: CustomerSchema, tools: (customer) => [customer.tool] });
// @ts-expect-error tools are a list
defineDomainType({ name: 'Customer', schema: CustomerSchema, tools: () => 'average_spend' });
// @ts-expect-error tools are not a promise
defineDomainType({ name: 'Customer', schema: CustomerSchema, tools: async () => [] });

// A predicate receives objects of its type and the loop.
expectTypeOf(
  chainFrom(Customer, {
    when: (customer, view) => {
      expectTypeOf(customer).toEqualTypeOf<CustomerValue>();
      expectTypeOf(view.path).toBeString();
      return true;
    },
  }),
).toEqualTypeOf<ChainedType>();
expectTypeOf(
  discover(Customer, { when: ({ since }) => since < new Date(), max: 8, hint: true }),
).toEqualTypeOf<DiscoveredType>();
// @ts-expect-error the predicate is for orders
chainFrom(Customer, { when: (order: OrderValue) => order.number > 1 });
// @ts-expect-error the predicate is for orders
discover(Customer, { when: (order: OrderValue) => order.number > 1 });
// @ts-expect-error a predicate returns a boolean
chainFrom(Customer, { when: () => 'yes' });
// @ts-expect-error there is no such option
discover(Customer, { limit: 3 });
// @ts-expect-error a bare name is not a domain type
chainFrom({ name: 'Customer' });

// Agents and agentic tools can chain domain types.
const entries = [chainFrom(Order), discover(Customer), chainAny(Order), chainAny()] as const;
defineAgent({ name: 'a', description: 'A.', instructions: 'A.', use: [chaining(entries)] });
defineAgenticTool({ name: 'b', description: 'B.', tools: [], use: [chaining([chainAny()]), chaining()] });
// @ts-expect-error a domain type needs `chainFrom`
chaining([Customer]);
// @ts-expect-error a word is not a domain type
chaining(['every']);
// @ts-expect-error an entry alone is not a module
defineAgent({ name: 'c', description: 'C.', instructions: 'C.', use: [chainFrom(Customer)] });
const noType = defineTool({ name: 'f', description: 'F.', run: () => 'f' });
// @ts-expect-error a tool is not a domain type
chaining([noType]);
// @ts-expect-error chaining is a module, not an option
defineAgent({ name: 'd', description: 'D.', instructions: 'D.', chaining: entries });
