import { summarised } from '../../../../src/index.ts';
import { look, serve } from './measured.ts';

const compaction = summarised({ overTokens: 1, keepTurns: 0, summarise: async () => 'It looked.' });
const holdfast = serve({ tools: [look('read')], agent: { compaction } });
export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../../durable-objects/index.ts';
