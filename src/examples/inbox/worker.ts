import * as v from 'valibot';
import { bearerToken, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { requireApproval } from '../../modules/decorators/entry.ts';
import { sessionIndex } from '../../modules/index/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const refund = defineTool({
  name: 'refund_order',
  description: 'Refund an order.',
  input: v.object({ order: v.string() }),
  effect: 'once',
  run: ({ order }) => `Order ${order} is refunded.`,
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Refunds orders if a manager agrees.',
  instructions: 'Refund the order that the customer names.',
  tools: [requireApproval(refund, ({ order }) => `Refund order ${order}?`, { by: 'manager' })],
});

const staff = bearerToken('STAFF_TOKEN');
const managers = bearerToken('MANAGER_TOKEN');

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [sessionIndex()],
  auth: async (request, env) => {
    if (await managers(request, env)) return { id: 'mia', tenant: 'acme', roles: ['manager'] };
    return (await staff(request, env)) ? { id: 'ann', tenant: 'acme' } : null;
  },
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
