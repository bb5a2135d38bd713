import * as v from 'valibot';
import { defineDomainType, defineTool, error } from '../../index.ts';
import { customers } from '../support/books.ts';

const orderSchema = v.object({
  orderId: v.number(),
  customerId: v.string(),
  items: v.array(v.object({ item: v.string(), quantity: v.number(), grams: v.number() })),
});

type Order = v.InferOutput<typeof orderSchema>;

/** This morning's orders, oldest first. They are not shipped yet. */
export const incomingOrders: readonly Order[] = [
  { orderId: 2001, customerId: 'C-11', items: [{ item: 'Brass bell', quantity: 1, grams: 1900 }] },
  {
    orderId: 2002,
    customerId: 'C-12',
    items: [
      { item: 'Signal flags', quantity: 2, grams: 450 },
      { item: 'Chart weight', quantity: 4, grams: 300 },
    ],
  },
  { orderId: 2003, customerId: 'C-13', items: [{ item: 'Log book', quantity: 3, grams: 600 }] },
  { orderId: 2004, customerId: 'C-11', items: [{ item: 'Sail needle', quantity: 10, grams: 20 }] },
];

/** An order in a result adds tools for that order. */
export const Order = defineDomainType({
  name: 'Order',
  schema: orderSchema,
  id: ({ orderId }) => orderId,
  tools: ({ orderId, items }) => [
    defineTool({
      name: 'get_order_weight',
      description: 'Get the weight of the order in grams, with its box.',
      effect: 'read',
      run: () => ({
        orderId,
        weight: 150 + items.reduce((sum, { quantity, grams }) => sum + quantity * grams, 0),
      }),
    }),
  ],
});

/** A customer in a result adds tools for that customer. */
export const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({ customerId: v.string(), name: v.string(), email: v.string(), city: v.string() }),
  id: ({ customerId }) => customerId,
  tools: ({ customerId, name }) => [
    defineTool({
      name: 'get_latest_order',
      description: 'Get the latest order of the customer, with its items.',
      effect: 'read',
      output: Order,
      run: () =>
        incomingOrders.findLast((order) => order.customerId === customerId) ??
        error(`${name} has ordered nothing.`),
    }),
  ],
});

/** The first tool of both chains. */
export const getCustomer = defineTool({
  name: 'get_customer',
  description: 'Get a customer by id: name, email and city.',
  effect: 'read',
  input: v.object({ customerId: v.pipe(v.string(), v.description('Such as C-11')) }),
  output: Customer,
  run: ({ customerId }) =>
    customers.get(customerId) ?? error(`There is no customer ${customerId.slice(0, 40)}.`),
});
