export type { OpenaiCompatibleOptions } from './adapter.ts';
export { openaiCompatible } from './openai-compatible.ts';
export type { ExtraBody, LimitParameter } from './request-body.ts';
