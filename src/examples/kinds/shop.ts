import * as v from 'valibot';
import { defineTool } from '../../index.ts';

const orderId = v.pipe(v.number(), v.description("An order's number, such as 1001"));

/** Only reads, so it can run any number of times. */
export const findOrder = defineTool({
  name: 'find_order',
  description: 'Find an order by its number.',
  input: v.object({ orderId }),
  effect: 'read',
  run: ({ orderId }) => ({ orderId, amount: 45.9 }),
});

/**
 * Moves money, so it runs at most once. After an interruption, `reconcile` asks the payment service for the
 * outcome.
 */
export const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order.',
  input: v.object({ orderId, amount: v.number() }),
  effect: 'once',
  async run(refund, { idempotencyKey, signal }) {
    const body = JSON.stringify({ ...refund, key: idempotencyKey });
    return (await fetch('https://pay.example/refunds', { method: 'POST', body, signal })).json();
  },
  async reconcile(_, { idempotencyKey }) {
    const found = await fetch(`https://pay.example/refunds/${idempotencyKey}`);
    return found.ok ? { done: await found.json() } : 'unknown';
  },
});
