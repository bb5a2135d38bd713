import { aiSdkUi } from '../../../../src/surfaces/ai-sdk-ui/entry.ts';
import { look, serve } from './measured.ts';

const holdfast = serve({ tools: [look('read')], use: [aiSdkUi()] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
