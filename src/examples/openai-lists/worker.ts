import { bearerToken, createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { sessionIndex } from '../../modules/index/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { openAi } from '../../surfaces/openai/entry.ts';
import { openAiLists } from '../../surfaces/openai/lists/entry.ts';

const support = defineAgent({
  name: 'support',
  description: 'Answers questions about orders.',
  instructions: 'Answer briefly.',
});

const holdfast = createHoldfast({
  agents: [support],
  use: [openAi({ lists: openAiLists() }), sessionIndex()],
  model: orOffline(openaiCompatible()),
  auth: bearerToken('HOLDFAST_TOKEN'),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
