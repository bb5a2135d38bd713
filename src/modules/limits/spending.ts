import { ROOT } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { roundUsd } from '../../model/prices.ts';
import { createModule } from '../../tool/module-use.ts';
import type { SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/**
 * The usage that counts against budgets. For calls without reported usage, the reservation counts. A type
 * alias, because it must be JSON.
 */
export type SpentAmount = {
  readonly tokens: number;
  /** In USD. */
  readonly cost: number;
};

const NOTHING_SPENT: SpentAmount = { tokens: 0, cost: 0 };

/** The lengths of a request in bytes, which identify it as the start of a later one. */
export type RequestLengths = {
  /** The model that was called, because other models count tokens differently. */
  readonly model: string;
  readonly system: number;
  /** The length of the tools and the output format. */
  readonly tools: number;
  /** The number of messages, without the system message. */
  readonly messages: number;
  readonly text: number;
};

/** The reservation of a model call until its reply. If no reply arrives, all of it counts as used. */
export type Reservation = {
  readonly reserved: Usage;
  readonly request: RequestLengths;
};

type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number };

/** A request, and its token count from the provider. */
export type MeasuredRequest = Omit<Reservation, 'reserved'> & { readonly inputTokens: number };

type LoopSpending = {
  /** The id of the enclosing loop. Absent for the turn's own loop. */
  readonly around?: string;
  /** The usage and reservations of the model calls in the loop and its nested loops. */
  readonly spent: SpentAmount;
  /** The model call without a reply. */
  readonly asked?: Reservation;
  readonly measured?: MeasuredRequest;
};

/** A session's state for budgets. */
export type Spending = {
  /** The root of the open turn's tree. */
  readonly root: string;
  /** The tree's usage before the turn. It counts in the budgets of the turn's own loop. */
  readonly before: SpentAmount;
  /** The open loops, by id. */
  readonly loops: { readonly [frame: string]: LoopSpending };
  /** The last measured request of a turn's own loop. */
  readonly measured?: MeasuredRequest;
  /** The usage of trees of turns, by the id of their root. */
  readonly trees: { readonly [root: string]: SpentAmount };
};

const NO_SPENDING: Spending = { root: '', before: NOTHING_SPENT, loops: {}, trees: {} };

/** Tracks the usage of models per loop, including reservations for calls without a reply. */
export const SPENDING_MEMORY: ToolMemory<Spending, Reservation> = {
  name: 'budgets',
  folding: FOLDING,
  initial: NO_SPENDING,
  scope: 'session',
  isHidden: true,
  apply(spending, asked, { frame }) {
    return addUsage(withLoop(spending, frame, { asked }), frame, asked.reserved);
  },
  observe(spending, moment) {
    switch (moment.type) {
      case 'turn-started':
        return startTurn(spending, moment);
      case 'loop-opened': {
        const { frame, around } = moment;
        return { ...spending, loops: { ...spending.loops, [frame]: { around, spent: NOTHING_SPENT } } };
      }
      case 'model-replied':
        return measure(settle(spending, moment.frame, moment.usage), spending, moment);
      case 'asked-aside':
        return settle(spending, ROOT, moment.usage);
      case 'request-refused':
        return releaseReservation(spending, moment.frame);
      case 'tree-left':
        return leaveTree(spending, moment.turn);
      case 'call-ended':
        return withoutLoops(spending, moment.call);
      case 'turn-ended':
        return endTurn(spending, moment);
      default:
        return spending;
    }
  },
};

/** The module of budgets. An agent's budgets also apply in its nested loops. */
export const BUDGETS_MODULE = createModule({ name: 'budgets', nested: true, state: [SPENDING_MEMORY] });

type MomentOf<Type extends SessionMoment['type']> = Extract<SessionMoment, { readonly type: Type }>;

function startTurn({ trees, measured }: Spending, { root, turn }: MomentOf<'turn-started'>): Spending {
  const before = (root === turn ? undefined : trees[root]) ?? NOTHING_SPENT;
  const own = { spent: before, ...(measured && { measured }) };
  return { root, before, trees, loops: { [ROOT]: own }, ...(measured && { measured }) };
}

function endTurn(spending: Spending, { isTree }: MomentOf<'turn-ended'>): Spending {
  const { root, loops, trees } = spending;
  const spent = loops[ROOT]?.spent;
  const all = Object.entries(spent ? { ...trees, [root]: spent } : trees);
  const kept = Object.fromEntries(all.filter(([id]) => isTree(id)));
  return { ...spending, root: '', before: NOTHING_SPENT, loops: {}, trees: kept };
}

/** Makes the turn the root of its own tree. The usage of its previous tree no longer counts. */
function leaveTree(spending: Spending, turn: string): Spending {
  const { before } = spending;
  const own = spending.loops[ROOT];
  if (!own) return spending;
  const spent = addSpent(own.spent, { tokens: -before.tokens, cost: -before.cost });
  return { ...withLoop(spending, ROOT, { spent }), root: turn, before: NOTHING_SPENT };
}

/**
 * Replaces a call's reservation with its reported usage. Without a plausible report, the reservation counts.
 */
function settle(spending: Spending, frame: string, usage: MomentOf<'model-replied'>['usage']): Spending {
  const asked = spending.loops[frame]?.asked;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const settled = withoutReservation(spending, frame);
  // Servers that do not count tokens report zeros, but no request is empty.
  if (asked && inputTokens === 0) return settled;
  const cost = usage?.cost ?? asked?.reserved.cost ?? 0;
  return addUsage(asked ? addUsage(settled, frame, negateUsage(asked.reserved)) : settled, frame, {
    inputTokens,
    outputTokens,
    cost,
  });
}

/** Remembers the provider's token count of a request that was sent under a budget. */
function measure(
  settled: Spending,
  { loops }: Spending,
  { frame, usage }: MomentOf<'model-replied'>,
): Spending {
  const asked = loops[frame]?.asked;
  const { inputTokens = 0 } = usage ?? {};
  if (!asked || inputTokens === 0) return settled;
  const { reserved: _, ...request } = asked;
  const measured = { ...request, inputTokens };
  return { ...withLoop(settled, frame, { measured }), ...(frame === ROOT && { measured }) };
}

/** Releases the reservation of a request that the provider rejected without processing it. */
function releaseReservation(spending: Spending, frame: string): Spending {
  const asked = spending.loops[frame]?.asked;
  return asked ? addUsage(withoutReservation(spending, frame), frame, negateUsage(asked.reserved)) : spending;
}

/** Drops the loop that a call opened, and its nested loops. */
function withoutLoops(spending: Spending, call: string): Spending {
  if (!spending.loops[call]) return spending;
  const left = Object.entries(spending.loops).filter(
    ([id]) => !listEnclosingLoops(spending, id).includes(call),
  );
  return { ...spending, loops: Object.fromEntries(left) };
}

/** Returns the loop and its enclosing loops, from the inside out. */
export function listEnclosingLoops({ loops }: Spending, frame: string): readonly string[] {
  const around: string[] = [];
  for (let id: string | undefined = frame; id !== undefined && loops[id]; id = loops[id]?.around)
    around.push(id);
  return around;
}

function addUsage(
  spending: Spending,
  frame: string,
  { inputTokens, outputTokens, cost = 0 }: Usage,
): Spending {
  const added = { tokens: inputTokens + outputTokens, cost };
  return listEnclosingLoops(spending, frame).reduce(
    (before, id) =>
      withLoop(before, id, { spent: addSpent(before.loops[id]?.spent ?? NOTHING_SPENT, added) }),
    spending,
  );
}

const negateUsage = ({ inputTokens, outputTokens, cost = 0 }: Usage): Usage => ({
  inputTokens: -inputTokens,
  outputTokens: -outputTokens,
  cost: -cost,
});

const addSpent = (spent: SpentAmount, { tokens, cost }: SpentAmount): SpentAmount => ({
  tokens: spent.tokens + tokens,
  cost: roundUsd(spent.cost + cost),
});

function withLoop(spending: Spending, frame: string, changes: Partial<LoopSpending>): Spending {
  const loop = spending.loops[frame];
  return loop ? { ...spending, loops: { ...spending.loops, [frame]: { ...loop, ...changes } } } : spending;
}

function withoutReservation(spending: Spending, frame: string): Spending {
  const { asked, ...loop } = spending.loops[frame] ?? { spent: NOTHING_SPENT };
  return asked ? { ...spending, loops: { ...spending.loops, [frame]: loop } } : spending;
}
