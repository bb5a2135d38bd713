import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { aiSdkUi } from 'holdfast/surfaces/ai-sdk-ui';
import { createHoldfast } from 'holdfast/worker';
import { desk } from './desk.ts';

const holdfast = createHoldfast({
  agents: [desk],
  model: orOffline(openaiCompatible()),
  use: [
    aiSdkUi(), // the protocol of `useChat` in the page
    ...(process.env.NODE_ENV === 'development' ? [console()] : []), // GET /console
  ],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
