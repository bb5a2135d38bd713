/** Applies the budgets of all modules to the model calls of a loop. */
import { askLayer } from '../../loop/ask-layers.ts';
import type { Loop } from '../../loop/loop.ts';
import type { ChatModel } from '../../model/chat-model.ts';
import type { ModuleUse } from '../../tool/module-use.ts';
import { type Budget, release, reserve } from './reserve.ts';

/**
 * Returns the budgets of a use in a loop. `frame` is the loop that the use belongs to.
 *
 * @throws ModelRefusalError if the loop must not call a model.
 * @throws InterruptionError if the budgets cannot be read now.
 */
type BudgetReader = (loop: Loop, frame: string) => readonly Budget[] | Promise<readonly Budget[]>;

const BUDGETS_BY_USE = new WeakMap<ModuleUse, BudgetReader>();

/**
 * Registers the budgets of a use. They limit the model calls in its scope. The use has `BUDGET_LAYER` as its
 * `ask`.
 */
export const registerBudgets = (use: ModuleUse, budgets: BudgetReader): unknown =>
  BUDGETS_BY_USE.set(use, budgets);

async function readBudgets(loop: Loop): Promise<readonly Budget[]> {
  const found = loop.spec.uses.map(({ use, frame }) => BUDGETS_BY_USE.get(use)?.(loop, frame) ?? []);
  return (await Promise.all(found)).flat();
}

/** The layer for all budgets of a loop. It reserves each call once in every budget. */
export const BUDGET_LAYER = askLayer({
  place: 'budget',
  async around({ loop, request, tell, atEnd }, next) {
    const budgets = await readBudgets(loop);
    if (budgets.length === 0) return next(request, tell);
    // The usage of a call is known only when it ends.
    atEnd(() => release(loop));
    const allowed = await reserve({ loop, budgets, request });
    return next(allowed, {
      ...tell,
      // Each attempt of an adapter is a request and needs its own reservation, unless the previous attempt
      // was free.
      async again(failed) {
        await tell.again?.(failed);
        // A rate-limited request was rejected before the provider processed it.
        if (failed === 'rate-limited') return;
        await reserve({ loop, budgets, request: allowed, outputTokens: allowed.maxOutputTokens });
      },
    });
  },
});

/** Returns the reason why a model without prices cannot be used with a cost limit, or `undefined`. */
export function findMissingPrices({ name, prices }: ChatModel): string | undefined {
  if (prices) return undefined;
  const model = name.slice(0, 80);
  return `has a cost limit, but its model '${model}' has no prices. Set its 'prices' in USD per million tokens`;
}
