import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { files } from '../../modules/files/entry.ts';
import { cors } from '../../modules/http/entry.ts';
import { sessionIndex } from '../../modules/index/entry.ts';
import { aiSdkUi } from '../../surfaces/ai-sdk-ui/entry.ts';
import { desk } from './desk.ts';

// Pages of this origin can call this Worker. `useChat` calls it at /agents/desk/chat.
const holdfast = createHoldfast({
  agents: [desk],
  model: openaiCompatible(),
  use: [aiSdkUi(), files(), sessionIndex(), cors({ origins: ['https://shop.example'] })],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
export { IndexObject } from '../../modules/index/entry.ts';
