import * as v from 'valibot';
import { defineAgent, defineTool } from '../../index.ts';
import { requireApproval } from '../../modules/decorators/entry.ts';

const refund = defineTool({
  name: 'refund',
  description: 'Refund an order.',
  input: v.object({ order: v.string(), euro: v.number() }),
  effect: 'once', // runs at most once, even after a crash
  run: ({ order, euro }) => `${euro} euro of order ${order} are on their way back.`,
});

export const desk = defineAgent({
  name: 'desk',
  description: 'Helps customers of a shop.',
  instructions: 'Help the customer. Look at what they send you. Refund what they ask for.',
  accepts: ['image/*'],
  tools: [requireApproval(refund, ({ order, euro }) => `Refund ${euro} euro of order ${order}?`)],
});
