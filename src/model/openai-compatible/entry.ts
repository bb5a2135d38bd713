export { type OpenAICompatibleOptions, openAICompatible } from './openai-compatible.ts';
