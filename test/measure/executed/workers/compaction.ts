import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { look, serve } from './measured.ts';

const compaction = summarize({ overTokens: 1, keepTurns: 0, summarize: async () => 'It looked.' });
const holdfast = serve({ tools: [look('read')], agent: { use: [compaction] } });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
