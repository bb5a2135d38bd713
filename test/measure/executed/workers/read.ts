import { createLookTool, createMeasuredApp } from './measured.ts';

const holdfast = createMeasuredApp({ tools: [createLookTool('read')] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
