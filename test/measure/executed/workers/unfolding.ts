import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { look, serve } from './measured.ts';

const eyes = defineUnfolding({ name: 'eyes', description: 'Looks at things.', tools: [look('read')] });
const holdfast = serve({ tools: [eyes], calls: { name: 'eyes', input: {} } });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
