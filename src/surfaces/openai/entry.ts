/** The entry `holdfast/surfaces/openai`: clients of OpenAI talk to a Worker unchanged. */

export { openAiDescription } from './describe.ts';
export { openAi } from './openai.ts';
