/** A Worker with one agent and one tool. Measures the cost of its start. */
import * as v from 'valibot';
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../src/index.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: v.object({ id: v.number(), name: v.string(), all: v.optional(v.boolean()) }),
  effect: 'read',
  run: ({ id }) => ({ id, found: true }),
});
const agent = defineAgent({ name: 'agent', description: 'Looks.', instructions: 'Look.', tools: [look] });
const holdfast = createHoldfast({
  agents: [agent],
  model: {
    name: 'none',
    ask: () =>
      Promise.reject(new Error('This Worker only measures the start, so its model must not be called.')),
  },
});

export default { fetch: () => new Response(typeof holdfast.worker.fetch) };
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
