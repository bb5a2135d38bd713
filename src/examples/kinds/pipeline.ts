import { definePipeline } from '../../kinds/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const refundWhole = definePipeline({
  name: 'refund_whole_order',
  description: 'Refund all of an order.',
  steps: [findOrder, refundOrder], // the output of each step is the input of the next
});
