export { type OpenaiCompatibleOptions, openaiCompatible } from './openai-compatible.ts';
export type { ExtraBody, LimitParameter } from './request-body.ts';
