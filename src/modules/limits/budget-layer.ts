/** What holds model calls to the budgets of their loops, whichever modules bring those. */
import { askLayer } from '../../loop/ask-layers.ts';
import type { Loop } from '../../loop/loop.ts';
import type { ChatModel } from '../../model/chat-model.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { type Budget, release, reserve } from './reserve.ts';

/**
 * Returns the budgets of a use in a loop. `frame`: the loop for which the module is used.
 *
 * @throws ModelCallRefused if the loop may ask no model; Interrupted if that cannot be known now.
 */
type BudgetsOf = (loop: Loop, frame: string) => readonly Budget[] | Promise<readonly Budget[]>;

const BOUNDS = new WeakMap<ModuleUse, BudgetsOf>();

/** Has the model calls in the scope of a use held to its budgets. The use has `BUDGET_LAYER` as its `ask`. */
export const boundBy = (use: ModuleUse, budgets: BudgetsOf): unknown => BOUNDS.set(use, budgets);

async function budgetsOf(loop: Loop): Promise<readonly Budget[]> {
  const found = loop.spec.uses.map(({ use, frame }) => BOUNDS.get(use)?.(loop, frame) ?? []);
  return (await Promise.all(found)).flat();
}

/** One layer for all budgets of a loop: a call is held back once, in each of them. */
export const BUDGET_LAYER = askLayer({
  place: 'budget',
  async around({ loop, request, tell, atEnd }, next) {
    const budgets = await budgetsOf(loop);
    if (budgets.length === 0) return next(request, tell);
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

/** Returns why a model without prices cannot be used where its cost is bounded. */
export function noPrices({ name, prices }: ChatModel): string | undefined {
  if (prices) return undefined;
  const model = name.slice(0, 80);
  return `has a cost limit, but its model '${model}' has no prices: give the model 'prices' in USD per million tokens`;
}
