import { USAGE, type Usage } from '../model/prices.ts';
import type { Infer, Shape, ShapeAs } from '../tool/shape.ts';

/** What a reply used, and what that cost in USD where its model has prices. */
export interface PricedUsage extends Usage {
  readonly cost?: number;
}
export const PRICED_USAGE: ShapeAs<PricedUsage> = {
  like: { object: { cost: { optional: { type: 'number', says: 'In USD.' } } }, and: USAGE },
};

/**
 * What several replies used. The optional counts are of the models that told them, and `cost`, in USD, of those that have
 * prices; absent when none has.
 */
export type Totals = { -readonly [Count in keyof PricedUsage]: PricedUsage[Count] };

/** The limits that may not allow a model call. */
export type BudgetLimit = Infer<typeof BUDGET_LIMIT>;
export const BUDGET_LIMIT = { oneOf: ['tokens', 'cost'] } as const satisfies Shape;

/** Why a loop may not go on. */
export interface Refusal {
  readonly limit: BudgetLimit;
  readonly most: number;
}
