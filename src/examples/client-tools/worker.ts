import { createHoldfast } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { clientTools } from '../../modules/client-tools/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { aiSdkUi } from '../../surfaces/ai-sdk-ui/entry.ts';
import { openAi } from '../../surfaces/openai/entry.ts';

const guide = defineAgent({
  name: 'guide',
  description: 'Guides through a page.',
  instructions: 'Help on the page. Use its tools where they help.',
  use: [clientTools()],
});

const holdfast = createHoldfast({
  agents: [guide],
  use: [aiSdkUi(), openAi()],
  model: orOffline(openaiCompatible()),
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
