import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { createHoldfast } from 'holdfast/worker';
import { clerk } from './clerk';

const holdfast = createHoldfast({
  agents: [clerk],
  model: orOffline(openaiCompatible()),
  http: { basePath: '/ai' },
  use: [...(process.env.NODE_ENV === 'development' ? [console()] : [])], // GET /ai/console
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
