import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { createLookTool, createMeasuredApp } from './measured.ts';

const eyes = defineUnfolding({
  name: 'eyes',
  description: 'Looks at things.',
  tools: [createLookTool('read')],
});
const holdfast = createMeasuredApp({ tools: [eyes], calls: { name: 'eyes', input: {} } });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
