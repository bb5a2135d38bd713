import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { files } from '../../modules/files/entry.ts';
import { cors } from '../../modules/http/entry.ts';
import { liveText } from '../../modules/live-text/entry.ts';
import { desk } from './desk.ts';

// Pages of this origin can call this Worker. `auth` authenticates them like any other request.
const holdfast = createHoldfast({
  agents: [desk],
  model: openaiCompatible(),
  use: [files(), liveText(), cors({ origins: ['https://shop.example'] })],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
