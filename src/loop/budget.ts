import type { TurnState } from '../journal/state.ts';
import type { BudgetLimit, PricedUsage } from '../journal/usage.ts';
import type { ChatModel } from '../model/chat-model.ts';
import { costOf, dearest, type Prices, plausible, type Usage, usd } from '../model/prices.ts';
import { Changes } from '../tool/async.ts';
import type { Limits } from '../tool/frame.ts';

/** One limit on what models may use, and the frame that it bounds with all that nests in it. */
export interface Budget {
  readonly frame: string;
  readonly limit: BudgetLimit;
  readonly most: number;
}

/** How much one budget leaves for the output of a call. */
export interface Room {
  readonly budget: Budget;
  /** Below 0 when not even the input fits. */
  readonly outputTokens: number;
}

/** Adds the limits that a frame declares to those around it: what nests in a loop is bound by both. */
export function withBudgets(
  around: readonly Budget[],
  frame: string,
  { tokens, cost }: Pick<Limits, BudgetLimit> = {},
): readonly Budget[] {
  const own: Budget[] = [];
  if (typeof tokens === 'number') own.push({ frame, limit: 'tokens', most: tokens });
  if (cost !== undefined) own.push({ frame, limit: 'cost', most: cost });
  return own.length === 0 ? around : [...around, ...own];
}

/** Answers what is wrong with asking this model under these budgets; `undefined` when nothing is. */
export function unpriced(model: ChatModel, budgets: readonly Budget[]): string | undefined {
  if (model.prices || isPlanned(model) || !budgets.some(({ limit }) => limit === 'cost')) return undefined;
  return noPrices(model);
}

/** A model whose replies are a plan's: nobody is asked for them, and they cost nothing. */
export interface PlannedModel extends ChatModel {
  readonly planned: true;
}

/** True for a `PlannedModel`, whose replies cost nothing. */
export const isPlanned = (model: ChatModel): boolean => 'planned' in model;

/** Goes on after whoever has the limit, such as "Agent 'x' ". */
export const noPrices = ({ name }: Pick<ChatModel, 'name'>): string =>
  `has a cost limit, but its model '${name.slice(0, 80)}' has no prices: give the model 'prices' in USD per million tokens`;

/** Answers what counts against a budget. Nothing once its frame is over. */
export function usedOf({ frame, limit }: Budget, turn: TurnState | undefined): number {
  const { tokens, cost } = turn?.frames.get(frame)?.spent ?? { tokens: 0, cost: 0 };
  return limit === 'tokens' ? tokens : cost;
}

/** Answers what a budget leaves for the output of a call with this much input. */
export function roomIn(
  budget: Budget,
  inputTokens: number,
  { turn, prices }: { readonly turn: TurnState | undefined; readonly prices: Prices | undefined },
): Room {
  const left = usd(budget.most - usedOf(budget, turn));
  if (budget.limit === 'tokens') return { budget, outputTokens: left - inputTokens };
  if (!prices) return { budget, outputTokens: -1 };
  return { budget, outputTokens: affordable(dearest(prices), inputTokens, left) };
}

function affordable(prices: Prices, inputTokens: number, left: number): number {
  const rest = left - costOf(prices, { inputTokens, outputTokens: 0 });
  if (rest < 0) return -1;
  if (prices.output === 0) return Number.POSITIVE_INFINITY;
  let outputTokens = Math.floor((rest * 1e6) / prices.output);
  // The division may round up to a token that the sum does not allow.
  while (outputTokens > 0 && costOf(prices, { inputTokens, outputTokens }) > left) outputTokens -= 1;
  return outputTokens;
}

/** Answers what a call would use of a budget at the most, in its unit. */
export const priceIn = ({ limit }: Budget, prices: Prices | undefined, usage: Usage): number => {
  if (limit === 'tokens') return usage.inputTokens + usage.outputTokens;
  return prices ? costOf(dearest(prices), usage) : 0;
};

/** Answers what a model used, as far as that makes sense, with what it costs where the model has prices. */
export function priced({ model: { prices } }: Asking, usage: Usage): PricedUsage {
  const told = plausible(usage, usage);
  return { ...told, ...(prices && { cost: costOf(prices, told) }) };
}

/** Answers what a call may use, with the most that it can cost where its model has prices. */
export const pricedAtMost = ({ model: { prices } }: Asking, usage: Usage): PricedUsage => ({
  ...usage,
  ...(prices && { cost: costOf(dearest(prices), usage) }),
});

/** Whoever asks a model. */
interface Asking {
  readonly model: Pick<ChatModel, 'prices'>;
}

/** The model calls of one invocation that hold something back now, by their frames. */
export class Reservations {
  readonly #held = new Set<string>();
  readonly #changes = new Changes();

  hold(frame: string): void {
    this.#held.add(frame);
  }

  /** What the call used is known, or never will be. */
  release(frame: string): void {
    if (this.#held.delete(frame)) this.#changes.tell();
  }

  get held(): ReadonlySet<string> {
    return this.#held;
  }

  /** Resolves when the next one is released. */
  get changed(): Promise<void> {
    return this.#changes.next;
  }
}
