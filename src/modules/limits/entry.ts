/** The entry `holdfast/limits`: bounds on what a turn may use, and how many tools it may call. */
import { askLayer } from '../../loop/ask-layers.ts';
import type { Loop } from '../../loop/loop.ts';
import { LOOPS } from '../../loop/loop-seams.ts';
import { isCount } from '../../loop/policies.ts';
import type { ChatModel } from '../../model/chat-model.ts';
import { type ModuleUse, useOf } from '../../tool/module-use.ts';
import { type Budget, release, reserve, spendingOf, usedOf } from './reserve.ts';
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
  BOUNDS.set(use, options);
  LOOPS.give(use, {
    ask: LAYER,
    boundsTokens: tokens !== undefined,
    refuses: cost === undefined ? undefined : noPrices,
    limits(loop, frame) {
      const spending = spendingOf(loop);
      return boundsIn(use, frame).map((one) => ({
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

const BOUNDS = new WeakMap<ModuleUse, BudgetOptions>();

function problemOf({ tokens, cost }: BudgetOptions): string | undefined {
  if (tokens === undefined && cost === undefined) return "it bounds nothing; give it 'tokens' or 'cost'";
  if (tokens !== undefined && !isCount(tokens)) return `tokens is ${tokens}; use a positive whole number`;
  if (cost === undefined || (Number.isFinite(cost) && cost > 0)) return undefined;
  return `cost is ${cost}; use a positive number of USD`;
}

function noPrices({ name, prices }: ChatModel): string | undefined {
  if (prices) return undefined;
  const model = name.slice(0, 80);
  return `has a cost limit, but its model '${model}' has no prices: give the model 'prices' in USD per million tokens`;
}

function boundsIn(use: ModuleUse, frame: string): readonly Budget[] {
  const { tokens, cost } = BOUNDS.get(use) ?? {};
  return [
    ...(tokens === undefined ? [] : [{ frame, limit: 'tokens', most: tokens } as const]),
    ...(cost === undefined ? [] : [{ frame, limit: 'cost', most: cost } as const]),
  ];
}

const budgetsOf = ({ spec }: Loop): readonly Budget[] =>
  spec.uses.flatMap(({ use, frame }) => boundsIn(use, frame));

/** One layer for all budgets of a loop: a call is held back once, in each of them. */
const LAYER = askLayer({
  place: 'budget',
  async around({ loop, request, tell, atEnd }, next) {
    const budgets = budgetsOf(loop);
    // Only then is it known what the call used.
    atEnd(() => release(loop));
    const allowed = await reserve({ loop, budgets, request });
    return next(allowed, {
      ...tell,
      // Each attempt of an adapter is a request, and held back by itself unless the one before was not charged for.
      async again(failed) {
        await tell.again?.(failed);
        // A provider that is asked too often refuses before it works on a request.
        if (failed === 'rate-limited') return;
        await reserve({ loop, budgets, request: allowed, outputTokens: allowed.maxOutputTokens });
      },
    });
  },
});
