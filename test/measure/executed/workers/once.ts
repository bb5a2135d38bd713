import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { callsOnce, measured } from './measured.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: v.object({ id: v.number() }),
  effect: 'once',
  run: ({ id }) => ({ id, found: true }),
});

const agent = defineAgent({
  name: 'agent',
  description: 'Measured.',
  instructions: 'Look.',
  tools: [look],
  model: callsOnce('look', { id: 7 }),
});

const holdfast = createHoldfast({ agents: [agent] });
export default measured(holdfast.worker);
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
