import { defineAgent } from '../../index.ts';
import { defineToolGroup, toolGroup } from '../../modules/tool-groups/entry.ts';
import { findOrder, refundOrder } from './shop.ts';

/**
 * For `createHoldfast({ use: [toolGroups([orders])] })`. A different environment can use a different group for
 * this role.
 */
export const orders = defineToolGroup({
  role: 'orders',
  description: 'Finds orders and refunds them.',
  tools: [findOrder, refundOrder],
});

export const clerk = defineAgent({
  name: 'order-clerk',
  description: 'Works on orders.',
  instructions: 'Help with orders.',
  tools: [toolGroup('orders')],
});
