export { type OpenAICompatibleOptions, openAICompatible } from './openai-compatible.ts';
export type { LimitParameter } from './request-body.ts';
