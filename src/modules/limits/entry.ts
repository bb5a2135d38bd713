/** The entry `holdfast/limits`: bounds on what a turn may use, and how many tools it may call. */
import { LOOPS } from '../../loop/loop-seams.ts';
import { isCount } from '../../loop/policies.ts';
import { type ModuleUse, useOf } from '../../tool/module-use.ts';
import { BUDGET_LAYER, boundBy, noPrices } from './budget-layer.ts';
import { type Budget, spendingOf, usedOf } from './reserve.ts';
import { BUDGETS } from './spending.ts';

export { type CallLimits, callLimits } from './call-limits.ts';

/** The literal that `budget` takes: at least one of both. */
export interface BudgetOptions {
  /** Tokens that models may use, input and output together. */
  readonly tokens?: number | undefined;
  /** The same in USD, for models that have prices. */
  readonly cost?: number | undefined;
}

/**
 * Bounds what models may use in a turn, with all that nests in it and all turns that it starts: `use: [budget({ cost: 0.5 })]` of an
 * agent, of an app for each of its agents, or of an agentic tool for its nested loop, which is bound by the budgets around it too.
 *
 * Each model call is held to what is left, and what it may use at the most is stored before the model is asked, so that neither loops
 * side by side nor a crash exceed a budget. A call for which too little is left is refused, and its loop ends as `limit-reached` with the
 * best answer so far. What a provider does not report counts with what was held back for it. Instructions, tools or messages that change
 * between two calls without a change in length are taken for the same, so that a call may exceed a budget by the tokens that the new ones
 * have more.
 *
 * @throws RangeError if `tokens` is no positive whole number, `cost` is no positive number, or both are absent.
 */
export function budget(options: BudgetOptions): ModuleUse {
  const problem = problemOf(options);
  if (problem) throw new RangeError(`budget: ${problem}.`);
  const { tokens, cost } = options;
  const key = JSON.stringify({ tokens, cost });
  const known = USES.get(key);
  if (known) return known;
  const use = useOf(BUDGETS, key);
  USES.set(key, use);
  boundBy(use, (_, frame) => boundsIn(options, frame));
  LOOPS.give(use, {
    ask: BUDGET_LAYER,
    boundsTokens: tokens !== undefined,
    refuses: cost === undefined ? undefined : noPrices,
    limits(loop, frame) {
      const spending = spendingOf(loop);
      return boundsIn(options, frame).map((one) => ({
        kind: one.limit,
        most: one.most,
        used: usedOf(one, spending),
      }));
    },
  });
  return use;
}

/** Equal budgets in one place are one. */
const USES = new Map<string, ModuleUse>();

function problemOf({ tokens, cost }: BudgetOptions): string | undefined {
  if (tokens === undefined && cost === undefined) return "it bounds nothing; give it 'tokens' or 'cost'";
  if (tokens !== undefined && !isCount(tokens)) return `tokens is ${tokens}; use a positive whole number`;
  if (cost === undefined || (Number.isFinite(cost) && cost > 0)) return undefined;
  return `cost is ${cost}; use a positive number of USD`;
}

function boundsIn({ tokens, cost }: BudgetOptions, frame: string): readonly Budget[] {
  return [
    ...(tokens === undefined ? [] : [{ frame, limit: 'tokens', most: tokens } as const]),
    ...(cost === undefined ? [] : [{ frame, limit: 'cost', most: cost } as const]),
  ];
}
