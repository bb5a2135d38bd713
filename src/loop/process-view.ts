import { ROOT } from '../journal/events.ts';
import { NOTHING_SPENT } from '../journal/usage.ts';
import { usd } from '../model/prices.ts';
import type { BudgetView, ProcessView } from '../tool/process-view.ts';
import { type Budget, usedOf } from './budget.ts';
import type { Loop } from './loop.ts';
import { LOOPS } from './loop-seams.ts';

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
        toolCalls: toolCallsOf(loop),
      };
    },
    get used() {
      // A budget counts the whole tree of turns, this view the turn alone.
      const { before = NOTHING_SPENT } = state ?? {};
      const spent = state?.frames.get(ROOT)?.spent ?? before;
      const [tokens, cost] = [spent.tokens - before.tokens, usd(spent.cost - before.cost)];
      const { cost: _, ...told } = state?.usage ?? { inputTokens: 0, outputTokens: 0 };
      const [toolCalls, modelCalls] = [state?.toolCalls ?? 0, state?.iterations ?? 0];
      return { tokens, cost, toolCalls, modelCalls, ...told };
    },
    recall: (memory) => {
      const { seen, path } = state?.frames.get(frame) ?? {};
      return loop.memories.valueIn(seen?.memories ?? new Map(), memory, path ?? '');
    },
  };
}

function budgetOf({ spec, journal }: Loop, limit: Budget['limit']): BudgetView | undefined {
  const held = spec.budgets.filter((budget) => budget.limit === limit);
  return leastOf(held.map((budget) => left(budget.most, usedOf(budget, journal.state.turn))));
}

function toolCallsOf(loop: Loop): BudgetView | undefined {
  return leastOf(
    loop.spec.uses.flatMap(({ use, frame }) => {
      const limits = LOOPS.of(use)?.limits?.(loop, frame) ?? [];
      return limits.flatMap(({ kind, most, used }) => (kind === 'toolCalls' ? left(most, used) : []));
    }),
  );
}

const leastOf = (views: readonly BudgetView[]): BudgetView | undefined =>
  views.toSorted((a, b) => a.remaining - b.remaining).at(0);

const left = (limit: number, used: number): BudgetView => ({
  limit,
  used,
  remaining: Math.max(0, usd(limit - used)),
});
