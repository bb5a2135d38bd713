export { type FromAiSdkOptions, fromAiSdk } from './from-ai-sdk.ts';
