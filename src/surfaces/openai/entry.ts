/** The entry `holdfast/surfaces/openai`: clients of OpenAI talk to a Worker unchanged. */
export { openAi } from './openai.ts';
