import { defineUnfolding } from '../../kinds/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

export const orders = defineUnfolding({
  name: 'orders',
  description: 'Finds orders and refunds them. Call this first.',
  tools: [findOrder, refundOrder],
});
