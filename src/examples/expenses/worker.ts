import { createHoldfast } from '../../create-holdfast.ts';
import { files } from '../../modules/files/entry.ts';
import { expenses } from './expenses.ts';

const holdfast = createHoldfast({ agents: [expenses], use: [files()] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
