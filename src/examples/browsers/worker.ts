import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { cors } from '../../modules/http/entry.ts';
import { liveText } from '../../modules/live-text/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { clerk } from '../first/clerk.ts';

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  use: [
    cors({ origins: ['http://localhost:5173'] }), // the origin of the pages
    liveText(), // sends the reply so far to pages that reconnect
  ],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
