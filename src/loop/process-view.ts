import { ROOT } from '../journal/events.ts';
import { tokensOf } from '../journal/spending.ts';
import { usd } from '../model/prices.ts';
import type { BudgetView, ProcessView } from '../tool/process-view.ts';
import type { Loop } from './loop.ts';
import { type LimitUse, LOOPS } from './loop-seams.ts';

/**
 * The turn as a call of this loop sees it. Each part is made when it is read, of the state as it is then; only memory is
 * as of the reply that asked for the call, like everything else that a call sees.
 */
export function processView(loop: Loop): ProcessView | undefined {
  if (!loop.inSession) return undefined;
  const { turn, journal, holder, startedAt } = loop;
  const frame = loop.frame.id;
  const { turn: state } = journal.state;
  const parent = state?.frames.get(frame)?.parent ?? turn;
  return {
    id: frame === ROOT ? turn : frame,
    parent: frame === ROOT ? undefined : parent,
    goal: loop.spec.output?.format.name,
    get runningMs() {
      // Two clocks are compared, and they may differ.
      return Math.max(0, holder.now() - startedAt);
    },
    get budget() {
      return {
        cost: budgetOf(loop, 'cost'),
        tokens: budgetOf(loop, 'tokens'),
        toolCalls: budgetOf(loop, 'toolCalls'),
      };
    },
    get used() {
      const { cost = 0, ...told } = state?.usage ?? { inputTokens: 0, outputTokens: 0, cost: 0 };
      const [toolCalls, modelCalls] = [state?.toolCalls ?? 0, state?.iterations ?? 0];
      return { tokens: tokensOf(told), cost, toolCalls, modelCalls, ...told };
    },
    recall: (memory) => {
      const { seen, path } = state?.frames.get(frame) ?? {};
      return loop.memories.valueIn(seen?.memories ?? new Map(), memory, path ?? '');
    },
  };
}

/** The limit of a kind of which the least is left. */
function budgetOf(loop: Loop, of: LimitUse['kind']): BudgetView | undefined {
  let least: BudgetView | undefined;
  for (const { use, frame } of loop.spec.uses) {
    for (const { kind, most: limit, used } of LOOPS.of(use)?.limits?.(loop, frame) ?? []) {
      const remaining = Math.max(0, usd(limit - used));
      if (kind === of && (!least || remaining < least.remaining)) least = { limit, used, remaining };
    }
  }
  return least;
}
