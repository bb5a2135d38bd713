/** A Worker with the agent of docs/files.md. */
import { createHoldfast } from '../../../src/create-holdfast.ts';
import { expenses } from '../../../src/examples/expenses/expenses.ts';

const holdfast = createHoldfast({ agents: [expenses] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
