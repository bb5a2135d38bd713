import { defineAgent, defineToolGroup } from '../../index.ts';
import { findOrder, refundOrder } from './shop.ts';

/** For `createHoldfast({ toolGroups: [orders] })`; another environment may fill the role otherwise. */
export const orders = defineToolGroup({
  role: 'orders',
  description: 'Finds orders and refunds them.',
  tools: [findOrder, refundOrder],
});

export const clerk = defineAgent({
  name: 'order-clerk',
  description: 'Works on orders.',
  instructions: 'Help with orders.',
  toolGroups: ['orders'],
});
