import { look, serve } from './measured.ts';

const holdfast = serve({ tools: [look('read')] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
