import { createHoldfast } from '../../create-holdfast.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { defineCourier } from './courier.ts';

const courier = defineCourier(async ({ to, idempotencyKey }) => `${idempotencyKey.slice(0, 8)} to ${to}`);

const holdfast = createHoldfast({ agents: [courier], model: openaiCompatible() });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
