import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { createLookTool, createMeasuredApp } from './measured.ts';

const holdfast = createMeasuredApp({ tools: [createLookTool('read')], use: [aiSdkUi()] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
