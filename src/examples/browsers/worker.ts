import { createHoldfast } from '../../create-holdfast.ts';
import { offlineModel } from '../../offline-model/entry.ts';
import { clerk } from '../first/clerk.ts';

const holdfast = createHoldfast({
  agents: [clerk],
  offline: offlineModel,
  origins: ['http://localhost:5173'], // where its pages come from
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
