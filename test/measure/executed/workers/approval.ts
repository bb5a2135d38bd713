import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { createLookTool, createMeasuredApp } from './measured.ts';

const holdfast = createMeasuredApp({ tools: [requireApproval(createLookTool('once'), 'Look?')] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
