import { files } from '../../../../src/modules/files/entry.ts';
import { createLookTool, createMeasuredApp } from './measured.ts';

const holdfast = createMeasuredApp({
  tools: [createLookTool('read')],
  agent: { accepts: ['text/plain'] },
  use: [files()],
});
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
