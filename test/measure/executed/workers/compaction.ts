import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { createLookTool, createMeasuredApp } from './measured.ts';

const compaction = summarize({ overTokens: 1, keepTurns: 0, summarize: async () => 'It looked.' });
const holdfast = createMeasuredApp({ tools: [createLookTool('read')], agent: { use: [compaction] } });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
