import { createHoldfast } from '../../create-holdfast.ts';
import { offlineModel } from '../../offline-model/entry.ts';
import { clerk } from './clerk.ts';

const holdfast = createHoldfast({ agents: [clerk], offline: offlineModel }); // asked where MODEL is "offline"
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
