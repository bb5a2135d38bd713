import type { Usage } from './chat-model.ts';

const isTokenCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Both counts, or nothing: usage is an aside, and a reply is not refused because its counts make no sense. */
export const countUsage = (inputTokens: unknown, outputTokens: unknown): Usage | undefined =>
  isTokenCount(inputTokens) && isTokenCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
