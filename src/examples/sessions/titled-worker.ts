import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { modelTitles, sessionIndex } from '../../modules/index/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';

const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: 'Answer briefly.' });
const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [sessionIndex(), modelTitles()],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
