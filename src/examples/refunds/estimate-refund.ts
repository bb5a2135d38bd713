import * as v from 'valibot';
import { defineTool, error } from '../../index.ts';
import { definePipeline } from '../../kinds/entry.ts';
import { customers, orders } from '../support/books.ts';

const orderId = v.pipe(v.number(), v.integer(), v.description("An order's number, such as 1001"));
const amount = v.pipe(v.number(), v.minValue(0), v.description('In euro'));

const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Look up an order.',
  effect: 'read',
  input: v.object({ orderId }),
  run: (input) =>
    orders.get(input.orderId) ?? error(`There is no order ${input.orderId}. Numbers start at 1001.`),
});

/** Under the shop's policy, an order is refunded in full. */
const computeAmount = defineTool({
  name: 'compute_amount',
  description: 'Compute what is refunded of an order.',
  effect: 'read',
  input: v.object({ orderId, customerId: v.string(), total: amount }),
  run: (order) => ({ orderId: order.orderId, customerId: order.customerId, amount: order.total }),
});

const wordQuote = defineTool({
  name: 'word_quote',
  description: 'Word a quote.',
  effect: 'read',
  input: v.object({ orderId, customerId: v.string(), amount }),
  run: (quote) => ({
    orderId: quote.orderId,
    amount: quote.amount,
    payee: customers.get(quote.customerId)?.name ?? quote.customerId,
  }),
});

/** Runs three steps without a model call in between. The journal still records each step as a call. */
export const estimateRefund = definePipeline({
  name: 'estimate_refund',
  description: 'Estimate the refund of an order: its amount in euro, and who is paid.',
  steps: [lookUpOrder, computeAmount, wordQuote],
});
