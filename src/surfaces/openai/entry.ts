/** The entry `holdfast/surfaces/openai`: clients of OpenAI talk to a Worker unchanged. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { openAiDescription } from './describe.ts';
export { openAi } from './openai.ts';
