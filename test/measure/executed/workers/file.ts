import { files } from '../../../../src/modules/files/entry.ts';
import { look, serve } from './measured.ts';

const holdfast = serve({ tools: [look('read')], agent: { accepts: ['text/plain'] }, use: [files()] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
