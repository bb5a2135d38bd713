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

/** What counts against limits: of calls without a reported usage, what was reserved. */
export interface Spent {
  readonly tokens: number;
  /** In USD. */
  readonly cost: number;
}

/** The limits that hold model calls back before they are made. */
export type BudgetLimit = 'tokens' | 'cost';

/** Why a loop may not go on. */
export interface Refusal {
  readonly limit: BudgetLimit;
  readonly most: number;
}

/** How long a request was, by which it is known again as the beginning of a later one. */
export interface RequestLengths {
  /** The model that was asked: others count otherwise. */
  readonly model: string;
  readonly system: Length;
  /** Of the tools, and of the form that the answer must have. */
  readonly tools: Length;
  /** How many messages it had beside the system's. */
  readonly messages: number;
  /** The length of those messages together. */
  readonly text: Length;
}

/** In bytes. Older events have a hash here, which is text and equal to no length: the part is then taken for another. */
export type Length = number | string;

/** A request that was sent under a limit. */
interface Asked {
  readonly request: RequestLengths;
  /** All bytes that it was counted for, where its event has hashes in the place of lengths. */
  readonly bytes?: number | undefined;
}

/** A model call under a limit. */
export interface PendingModelCall extends Asked {
  readonly reserved: PricedUsage;
}

/** A request, and how many tokens it had. */
export interface Measured extends Asked {
  readonly inputTokens: number;
}

/** A loop that has asked for nothing. */
export const NOTHING_SPENT: Spent = { tokens: 0, cost: 0 };

/** Answers what was spent, with a usage added to it; with `sign` -1, without one that was added before. */
export const spentWith = (
  spent: Spent,
  { inputTokens, outputTokens, cost = 0 }: PricedUsage,
  sign: 1 | -1,
): Spent => ({
  tokens: spent.tokens + sign * (inputTokens + outputTokens),
  cost: exact(spent.cost + sign * cost),
});

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

/** USD as events have it, so that what is added and taken away again leaves nothing behind. */
const exact = (usd: number): number => Math.round(usd * 1e12) / 1e12;
