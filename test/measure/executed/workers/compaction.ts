import * as v from 'valibot';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool, summarised } from '../../../../src/index.ts';
import { callsOnce, measured } from './measured.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: v.object({ id: v.number() }),
  effect: 'read',
  run: ({ id }) => ({ id, found: true }),
});

const agent = defineAgent({
  name: 'agent',
  description: 'Measured.',
  instructions: 'Look.',
  compaction: summarised({ overTokens: 1, keepTurns: 0, summarise: async () => 'It looked.' }),
  tools: [look],
  model: callsOnce('look', { id: 7 }),
});

const holdfast = createHoldfast({ agents: [agent] });
export default measured(holdfast.worker);
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
