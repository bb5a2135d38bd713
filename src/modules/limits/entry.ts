/** The entry `holdfast/limits`: limits on a turn's usage and on its number of tool calls. */
import { LOOPS } from '../../loop/loop-seams.ts';
import { isCount } from '../../loop/policies.ts';
import { createUse, type ModuleUse } from '../../tool/module-use.ts';
import { BUDGET_LAYER, findMissingPrices, registerBudgets } from './budget-layer.ts';
import { type Budget, getSpending, getUsed } from './reserve.ts';
import { BUDGETS_MODULE } from './spending.ts';

export { type CallLimits, callLimits } from './call-limits.ts';

/** The configuration of `budget`. At least one property is required. */
export interface BudgetOptions {
  /** The maximum number of tokens, input and output together. */
  readonly tokens?: number | undefined;
  /** The maximum cost in USD, for models with prices. */
  readonly cost?: number | undefined;
}

/**
 * Limits the usage of models in a turn, including nested loops and all turns that it starts. List
 * `budget({ cost: 0.5 })` in the `use` of an agent, of an app for each of its agents, or of an agentic tool
 * for its nested loop, to which the enclosing budgets also apply.
 *
 * Before each model call, the maximum that it can use is reserved and stored. So parallel loops and crashes
 * cannot cause overspending. If too little is left for a call, it is refused, and its loop ends as
 * `limit-reached` with the best answer so far. If a provider does not report usage, the reservation counts.
 * Instructions, tools and messages that change but keep their length count as unchanged. A call can therefore
 * exceed a budget by the extra tokens of the new text.
 *
 * @throws RangeError if `tokens` is not a positive whole number, if `cost` is not a positive number, or if
 * both are absent.
 *
 * @example
 * ```ts
 * const use = [budget({ cost: 2 })]; // USD for each turn
 * ```
 */
export function budget(options: BudgetOptions): ModuleUse {
  const problem = findOptionsProblem(options);
  if (problem) throw new RangeError(`budget: ${problem}.`);
  const { tokens, cost } = options;
  const key = JSON.stringify({ tokens, cost });
  const known = USES_BY_KEY.get(key);
  if (known) return known;
  const use = createUse(BUDGETS_MODULE, key);
  USES_BY_KEY.set(key, use);
  registerBudgets(use, (_, frame) => createBudgets(options, frame));
  LOOPS.give(use, {
    ask: BUDGET_LAYER,
    boundsTokens: tokens !== undefined,
    refuses: cost === undefined ? undefined : findMissingPrices,
    limits(loop, frame) {
      const spending = getSpending(loop);
      return createBudgets(options, frame).map((one) => ({
        kind: one.limit,
        most: one.most,
        used: getUsed(one, spending),
      }));
    },
  });
  return use;
}

/** Equal budgets in one place count as one. */
const USES_BY_KEY = new Map<string, ModuleUse>();

function findOptionsProblem({ tokens, cost }: BudgetOptions): string | undefined {
  if (tokens === undefined && cost === undefined) return "it has no limit. Set 'tokens' or 'cost'";
  if (tokens !== undefined && !isCount(tokens)) return `tokens is ${tokens}. Use a positive whole number`;
  if (cost === undefined || (Number.isFinite(cost) && cost > 0)) return undefined;
  return `cost is ${cost}. Use a positive number of USD`;
}

function createBudgets({ tokens, cost }: BudgetOptions, frame: string): readonly Budget[] {
  return [
    ...(tokens === undefined ? [] : [{ frame, limit: 'tokens', most: tokens } as const]),
    ...(cost === undefined ? [] : [{ frame, limit: 'cost', most: cost } as const]),
  ];
}
