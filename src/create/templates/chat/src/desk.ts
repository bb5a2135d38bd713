import { defineAgent, defineTool } from 'holdfast';
import { requireApproval } from 'holdfast/decorators';
import * as v from 'valibot';

const refund = defineTool({
  name: 'refund',
  description: 'Refund an order.',
  input: v.object({ order: v.pipe(v.string(), v.description('Such as A-7')), euro: v.number() }),
  effect: 'once', // runs at most once, even after a crash
  run: ({ order, euro }) => `${euro} euro of order ${order} are on their way back.`,
});

export const desk = defineAgent({
  name: 'desk',
  description: 'Helps customers of a shop.',
  instructions: 'Help the customer. Refund what they ask for.',
  tools: [requireApproval(refund, ({ order, euro }) => `Refund ${euro} euro of order ${order}?`)],
});
