import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { orOffline } from '../../offline-model/entry.ts';
import { clerk } from './clerk.ts';

const holdfast = createHoldfast<Cloudflare.Env>({ agents: [clerk], model: orOffline(openaiCompatible()) });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
