export { type OpenAICompatibleOptions, openAICompatible } from './openai-compatible.ts';
export type { ExtraBody, LimitParameter } from './request-body.ts';
