import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { look, serve } from './measured.ts';

const holdfast = serve({ tools: [requireApproval(look('once'), 'Look?')] });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
