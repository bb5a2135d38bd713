import type { Usage } from '../model/prices.ts';

/** What a reply used, and what that cost in USD where its model has prices. */
export interface PricedUsage extends Usage {
  readonly cost?: number;
}

/**
 * What several replies used. The optional counts are of the models that told them, and `cost`, in USD, of those that have
 * prices; absent when none has.
 */
export type Totals = { -readonly [Count in keyof PricedUsage]: PricedUsage[Count] };

/** The limits that may not allow a model call. */
export type BudgetLimit = 'tokens' | 'cost';

/** Why a loop may not go on. */
export interface Refusal {
  readonly limit: BudgetLimit;
  readonly most: number;
}

/** Adds a usage to totals, in place. */
export function addUsage(total: Totals, usage: PricedUsage): void {
  const { inputTokens, outputTokens, cost } = usage;
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  for (const part of ['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    const more = usage[part];
    if (more !== undefined) total[part] = (total[part] ?? 0) + more;
  }
  if (cost !== undefined) total.cost = exact((total.cost ?? 0) + cost);
}

/** USD to twelve decimals, as events have it. */
const exact = (usd: number): number => Math.round(usd * 1e12) / 1e12;

/** All tokens of a usage. */
export const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
