import * as v from 'valibot';
import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { requireApproval } from '../../modules/decorators/entry.ts';
import { outgoingWebhook } from '../../modules/outgoing-webhooks/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const refund = defineTool({
  name: 'refund_order',
  description: 'Refunds an order.',
  input: v.object({ order: v.string() }),
  run: ({ order }) => `Order ${order} is refunded.`,
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Refunds orders when somebody agrees.',
  instructions: 'Refund the order that the customer names.',
  tools: [requireApproval(refund, ({ order }) => `Refund order ${order}?`)],
});

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [
    outgoingWebhook({
      url: 'https://desk.example.com/hooks/turns',
      secret: (env) => env.TURNS_WEBHOOK_SECRET,
      on: ['suspended', 'failed'],
    }),
  ],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
