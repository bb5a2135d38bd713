import { ROOT } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import { usd } from '../../model/prices.ts';
import { createModule } from '../../tool/module-use.ts';
import type { SessionMoment, ToolMemory } from '../../tool/tool-memory.ts';

/** What counts against budgets: of calls without a reported usage, what was held back. Type aliases: they must be JSON. */
export type Spent = {
  readonly tokens: number;
  /** In USD. */
  readonly cost: number;
};

const NOTHING: Spent = { tokens: 0, cost: 0 };

/** How long a request was, in bytes, by which it is known again as the beginning of a later one. */
export type RequestLengths = {
  /** The model that was asked: others count otherwise. */
  readonly model: string;
  readonly system: number;
  /** Of the tools, and of the form that the answer must have. */
  readonly tools: number;
  /** How many messages it had beside the system's. */
  readonly messages: number;
  /** The length of those messages together. */
  readonly text: number;
};

/** What is held back for a model call until it has replied. One that never does has used it all. */
export type Asked = {
  readonly reserved: Usage;
  readonly request: RequestLengths;
};

type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number };

/** A request, and how many tokens its provider counted in it. */
export type Measured = Omit<Asked, 'reserved'> & { readonly inputTokens: number };

type LoopSpending = {
  /** The id of the loop around it; absent for the turn's own. */
  readonly around?: string;
  /** What model calls in it and in the loops inside have used, or hold back. */
  readonly spent: Spent;
  /** The model call that has no reply. */
  readonly asked?: Asked;
  readonly measured?: Measured;
};

/** What a session remembers for budgets. */
export type Spending = {
  /** The root of the open turn's tree. */
  readonly root: string;
  /** What that tree used before the turn, which counts in the budgets of its own loop. */
  readonly before: Spent;
  /** The open loops, by their ids. */
  readonly loops: { readonly [frame: string]: LoopSpending };
  /** Of the last request of a turn's own loop. */
  readonly measured?: Measured;
  /** What trees of turns have used, by the ids of their roots. */
  readonly trees: { readonly [root: string]: Spent };
};

const EMPTY: Spending = { root: '', before: NOTHING, loops: {}, trees: {} };

/** Counts what models use, loop by loop, with what is held back for calls that have no reply. */
export const SPENDING: ToolMemory<Spending, Asked> = {
  name: 'budgets',
  folding: FOLDING,
  initial: EMPTY,
  scope: 'session',
  isHidden: true,
  apply(spending, asked, { frame }) {
    return spend(withLoop(spending, frame, { asked }), frame, asked.reserved);
  },
  observe(spending, moment) {
    switch (moment.type) {
      case 'turn-started':
        return startTurn(spending, moment);
      case 'loop-opened': {
        const { frame, around } = moment;
        return { ...spending, loops: { ...spending.loops, [frame]: { around, spent: NOTHING } } };
      }
      case 'model-replied':
        return measure(settle(spending, moment.frame, moment.usage), spending, moment);
      case 'asked-aside':
        return settle(spending, ROOT, moment.usage);
      case 'request-refused':
        return giveBack(spending, moment.frame);
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

/** The module of budgets. What an agent has of it binds what nests in its loop. */
export const BUDGETS = createModule({ name: 'budgets', nested: true, state: [SPENDING] });

type Moment<Type extends SessionMoment['type']> = Extract<SessionMoment, { readonly type: Type }>;

function startTurn({ trees, measured }: Spending, { root, turn }: Moment<'turn-started'>): Spending {
  const before = (root === turn ? undefined : trees[root]) ?? NOTHING;
  const own = { spent: before, ...(measured && { measured }) };
  return { root, before, trees, loops: { [ROOT]: own }, ...(measured && { measured }) };
}

function endTurn(spending: Spending, { isTree }: Moment<'turn-ended'>): Spending {
  const { root, loops, trees } = spending;
  const spent = loops[ROOT]?.spent;
  const all = Object.entries(spent ? { ...trees, [root]: spent } : trees);
  const kept = Object.fromEntries(all.filter(([id]) => isTree(id)));
  return { ...spending, root: '', before: NOTHING, loops: {}, trees: kept };
}

/** The turn is the root of a tree now: what the tree around it used before counts no more. */
function leaveTree(spending: Spending, turn: string): Spending {
  const { before } = spending;
  const own = spending.loops[ROOT];
  if (!own) return spending;
  const spent = plus(own.spent, { tokens: -before.tokens, cost: -before.cost });
  return { ...withLoop(spending, ROOT, { spent }), root: turn, before: NOTHING };
}

/** Puts what a reply used in the place of what was held back for it. Without a believable report, that counts. */
function settle(spending: Spending, frame: string, usage: Moment<'model-replied'>['usage']): Spending {
  const asked = spending.loops[frame]?.asked;
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const settled = withoutAsked(spending, frame);
  // Servers that do not count report zeros, and no request is empty.
  if (asked && inputTokens === 0) return settled;
  const cost = usage?.cost ?? asked?.reserved.cost ?? 0;
  return spend(asked ? spend(settled, frame, negative(asked.reserved)) : settled, frame, {
    inputTokens,
    outputTokens,
    cost,
  });
}

/** Remembers how many tokens a request had that was sent under a budget, as its provider has counted them. */
function measure(
  settled: Spending,
  { loops }: Spending,
  { frame, usage }: Moment<'model-replied'>,
): Spending {
  const asked = loops[frame]?.asked;
  const { inputTokens = 0 } = usage ?? {};
  if (!asked || inputTokens === 0) return settled;
  const { reserved: _, ...request } = asked;
  const measured = { ...request, inputTokens };
  return { ...withLoop(settled, frame, { measured }), ...(frame === ROOT && { measured }) };
}

/** Gives back what was held back for a request that its provider refused before it worked on it. */
function giveBack(spending: Spending, frame: string): Spending {
  const asked = spending.loops[frame]?.asked;
  return asked ? spend(withoutAsked(spending, frame), frame, negative(asked.reserved)) : spending;
}

/** The loop that a call has opened is over with it, and so are those inside. */
function withoutLoops(spending: Spending, call: string): Spending {
  if (!spending.loops[call]) return spending;
  const left = Object.entries(spending.loops).filter(([id]) => !loopsAround(spending, id).includes(call));
  return { ...spending, loops: Object.fromEntries(left) };
}

/** The loop itself and those around it, from the inside out. */
export function loopsAround({ loops }: Spending, frame: string): readonly string[] {
  const around: string[] = [];
  for (let id: string | undefined = frame; id !== undefined && loops[id]; id = loops[id]?.around)
    around.push(id);
  return around;
}

function spend(spending: Spending, frame: string, { inputTokens, outputTokens, cost = 0 }: Usage): Spending {
  const added = { tokens: inputTokens + outputTokens, cost };
  return loopsAround(spending, frame).reduce(
    (before, id) => withLoop(before, id, { spent: plus(before.loops[id]?.spent ?? NOTHING, added) }),
    spending,
  );
}

const negative = ({ inputTokens, outputTokens, cost = 0 }: Usage): Usage => ({
  inputTokens: -inputTokens,
  outputTokens: -outputTokens,
  cost: -cost,
});

const plus = (spent: Spent, { tokens, cost }: Spent): Spent => ({
  tokens: spent.tokens + tokens,
  cost: usd(spent.cost + cost),
});

function withLoop(spending: Spending, frame: string, changes: Partial<LoopSpending>): Spending {
  const loop = spending.loops[frame];
  return loop ? { ...spending, loops: { ...spending.loops, [frame]: { ...loop, ...changes } } } : spending;
}

function withoutAsked(spending: Spending, frame: string): Spending {
  const { asked, ...loop } = spending.loops[frame] ?? { spent: NOTHING };
  return asked ? { ...spending, loops: { ...spending.loops, [frame]: loop } } : spending;
}
