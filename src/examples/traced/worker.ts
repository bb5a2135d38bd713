import * as v from 'valibot';
import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent, defineTool } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { traceHeaders, tracing } from '../../modules/tracing/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order.',
  input: v.object({ order: v.string() }),
  effect: 'read',
  run: async ({ order }, call) => {
    const url = `https://orders.example.com/orders/${encodeURIComponent(order)}`;
    const response = await fetch(url, { headers: traceHeaders(call) });
    return response.text();
  },
});

const clerk = defineAgent({
  name: 'clerk',
  description: 'Answers questions about orders.',
  instructions: 'Answer briefly.',
  tools: [findOrder],
});

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [
    tracing({
      endpoint: (env) => env.OTLP_ENDPOINT,
      headers: (env) => ({ authorization: `Bearer ${env.OTLP_TOKEN}` }),
      service: 'shop',
      resource: { 'deployment.environment.name': 'production' },
    }),
  ],
  http: { contextHeaders: { traceparent: 'traceparent' } },
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
