import { console } from 'holdfast/console';
import { orOffline } from 'holdfast/models/offline';
import { openaiCompatible } from 'holdfast/models/openai-compatible';
import { createHoldfast } from 'holdfast/worker';
import { clerk } from './clerk.ts';

const use = process.env.NODE_ENV === 'development' ? [console()] : []; // GET /console
const holdfast = createHoldfast({ agents: [clerk], model: orOffline(openaiCompatible()), use });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from 'holdfast/durable-objects';
