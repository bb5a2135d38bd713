import * as v from 'valibot';
import { defineAgenticTool } from '../../kinds/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const settle = defineAgenticTool({
  name: 'settle_complaint',
  description: 'Settle a complaint about one order.',
  input: v.object({ orderId: v.number(), complaint: v.string() }),
  instructions: 'Refund what was damaged, and say in one sentence what was done.',
  tools: [findOrder, refundOrder],
});
