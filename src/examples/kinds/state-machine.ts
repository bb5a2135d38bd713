import * as v from 'valibot';
import { defineStateMachine } from '../../kinds/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const order = defineStateMachine({
  name: 'work_on_order',
  description: 'Work on one order.',
  input: v.object({ orderId: v.number() }),
  key: ({ orderId }) => String(orderId), // each order has its own position
  initial: 'paid',
  states: {
    paid: [{ tool: refundOrder, to: 'refunded' }],
    refunded: [],
  },
  everywhere: [findOrder],
});
