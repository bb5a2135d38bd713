import type { Usage } from '../model/prices.ts';

/** What a reply used, and what that cost in USD where its model has prices. */
export interface PricedUsage extends Usage {
  readonly cost?: number;
}

/** `cost`: in USD, of the models that have prices; absent when none has. */
export interface Totals {
  inputTokens: number;
  outputTokens: number;
  cost?: number;
}

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

/** How a request is known again as the beginning of a later one. */
export interface RequestPrint {
  /** The model that was asked: others count otherwise. */
  readonly model: string;
  readonly system: string;
  readonly tools: string;
  /** How many messages it had beside the system's, and their print. */
  readonly messages: number;
  readonly text: string;
}

/** A model call under a limit. */
export interface PendingModelCall {
  readonly reserved: PricedUsage;
  readonly request: RequestPrint;
}

/** A request, and how many tokens it had. */
export interface Measured {
  readonly request: RequestPrint;
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
export function addUsage(total: Totals, { inputTokens, outputTokens, cost }: PricedUsage): void {
  total.inputTokens += inputTokens;
  total.outputTokens += outputTokens;
  if (cost !== undefined) total.cost = exact((total.cost ?? 0) + cost);
}

/** USD as events have it, so that what is added and taken away again leaves nothing behind. */
const exact = (usd: number): number => Math.round(usd * 1e12) / 1e12;
