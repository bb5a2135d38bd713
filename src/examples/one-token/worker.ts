import { bearerToken, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { onBehalfOf } from '../../modules/http/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { openAi } from '../../surfaces/openai/entry.ts';

const orders = defineTool({
  name: 'list_orders',
  description: 'List the orders of the user.',
  effect: 'read',
  run: (_, call) => `Orders of ${call.principal.id}`,
});

const shop = defineAgent({
  name: 'shop',
  description: 'Knows the orders of the user.',
  instructions: 'Answer from the orders of the user.',
  tools: [orders],
});

const token = bearerToken((env) => env.CHAT_TOKEN);

const holdfast = createHoldfast({
  agents: [shop],
  use: [openAi(), onBehalfOf((request) => request.headers.get('x-user-id'))],
  model: orOffline(openaiCompatible()),
  // The chat server sends the token, and names one of its users in each request.
  auth: async (request, env) => ((await token(request, env)) ? { id: 'chat', delegates: true } : null),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
