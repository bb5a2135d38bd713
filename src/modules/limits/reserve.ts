import { ROOT } from '../../journal/events.ts';
import { ModelCallRefused } from '../../loop/ask-reply.ts';
import { inLoop, type Loop, timeIn } from '../../loop/loop.ts';
import type { ModelRequest } from '../../model/chat-model.ts';
import { costOf, dearest, type Prices, type Usage, usd } from '../../model/prices.ts';
import { Changes, untilAborted } from '../../tool/async.ts';
import { factOf } from '../../tool/tool-memory.ts';
import { type RequestSize, sizeOf } from './request-size.ts';
import { BUDGETS, loopsAround, SPENDING, type Spending } from './spending.ts';

/** One limit on what models may use, and the loop that it bounds with all that nests in it. */
export interface Budget {
  readonly frame: string;
  readonly limit: 'tokens' | 'cost';
  readonly most: number;
}

/** The most tokens of a reply under a budget, where its model does not say: what most models can write at once. */
const MAX_OUTPUT = 4_096;

/** The fewest tokens of a reply that is of use: a tool call with a small input, or a few sentences. */
const MIN_OUTPUT = 256;

/** A model call that is to be held back. */
interface Reserving {
  readonly loop: Loop;
  /** All that bound the loop: at least one. */
  readonly budgets: readonly Budget[];
  readonly request: ModelRequest;
  /** Of an attempt before, whose request is sent again as it was. */
  readonly outputTokens?: number | undefined;
}

/**
 * Holds back in every budget of the loop what a request may use at the most, and returns the request as it may be sent
 * once that is stored. Room that other model calls hold back now is waited for.
 *
 * @throws ModelCallRefused if a budget does not leave enough for a useful reply; Interrupted if the wait was cut short.
 */
export async function reserve(reserving: Reserving): Promise<ModelRequest> {
  const { loop, request } = reserving;
  const { frame, holder } = loop;
  const reservations = reservationsOf(loop);
  reservations.release(frame.id);
  const { size, most, least } = needOf(reserving);
  for (;;) {
    const room = tightest(reserving, size);
    if (room.outputTokens >= least)
      return hold(loop, request, { size, outputTokens: Math.min(most, room.outputTokens) });
    if (!isHeldWithin(loop, room.budget))
      throw refused(loop, room.budget, { inputTokens: size.inputTokens, outputTokens: least });
    await untilAborted(holder.modelSignal, reservations.changed);
    holder.checkpoint();
  }
}

/** The call of the loop has an outcome, or never will have. */
export const release = (loop: Loop): void => reservationsOf(loop).release(loop.frame.id);

/** What a loop's session remembers now. */
export const spendingOf = ({ memories, journal, frame }: Loop): Spending =>
  memories.valueIn(journal.state.memories, SPENDING, frame.path);

/** Returns what counts against a budget. Nothing once its loop is over. */
export const usedOf = ({ frame, limit }: Budget, { loops }: Spending): number =>
  loops[frame]?.spent[limit] ?? 0;

/** How much one budget leaves for the output of a call. */
interface Room {
  readonly budget: Budget;
  /** Below 0 when not even the input fits. */
  readonly outputTokens: number;
}

/** The budget that leaves the least. */
function tightest({ loop, budgets }: Reserving, { inputTokens }: RequestSize): Room {
  const spending = spendingOf(loop);
  return budgets
    .map((budget) => roomIn(budget, inputTokens, { spending, prices: loop.spec.model.prices }))
    .reduce((least, room) => (room.outputTokens < least.outputTokens ? room : least));
}

/** Returns what a budget leaves for the output of a call with this much input. */
function roomIn(
  budget: Budget,
  inputTokens: number,
  { spending, prices }: { readonly spending: Spending; readonly prices: Prices | undefined },
): Room {
  const left = usd(budget.most - usedOf(budget, spending));
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

interface Need {
  readonly size: RequestSize;
  /** Tokens of the reply. */
  readonly most: number;
  readonly least: number;
}

function needOf({ loop, request, outputTokens }: Reserving): Need {
  const { model } = loop.spec;
  const { maxOutputTokens: ofModel = Infinity } = model;
  const most =
    outputTokens ?? Math.min(request.maxOutputTokens ?? model.maxOutputTokens ?? MAX_OUTPUT, ofModel);
  const least = outputTokens ?? Math.min(MIN_OUTPUT, most);
  // What one of several models has counted, another counts otherwise.
  const measured = model.candidates ? undefined : spendingOf(loop).loops[loop.frame.id]?.measured;
  return { size: sizeOf(model.name, request, measured), most, least };
}

/** How much a request may use at the most. */
interface Held {
  readonly size: RequestSize;
  /** Tokens of the reply. */
  readonly outputTokens: number;
}

/** Stores what is held back, and returns the request as it may be sent. */
async function hold(loop: Loop, request: ModelRequest, { size, outputTokens }: Held): Promise<ModelRequest> {
  const { prices } = loop.spec.model;
  const usage = { inputTokens: size.inputTokens, outputTokens };
  const reserved = { ...usage, ...(prices && { cost: costOf(dearest(prices), usage) }) };
  const fact = factOf(SPENDING, { reserved, request: size.lengths });
  const facts = [{ ...fact, at: timeIn(loop) }];
  loop.journal.emit({ type: 'module-event', ...inLoop(loop), module: BUDGETS.name, facts });
  reservationsOf(loop).hold(loop.frame.id);
  await loop.journal.durable();
  loop.holder.checkpoint();
  return { ...request, maxOutputTokens: outputTokens };
}

/** Whether a model call that is running now may give something of this budget back. */
function isHeldWithin(loop: Loop, { frame }: Budget): boolean {
  const spending = spendingOf(loop);
  return [...reservationsOf(loop).held].some((id) => loopsAround(spending, id).includes(frame));
}

function refused(loop: Loop, budget: Budget, least: Usage): ModelCallRefused {
  const { limit, most, frame: of } = budget;
  return new ModelCallRefused({
    limit,
    ...(of !== ROOT && { of }),
    most,
    used: usedOf(budget, spendingOf(loop)),
    needed: priceIn(budget, loop.spec.model.prices, least),
  });
}

/** Returns what a call would use of a budget at the most, in its unit. */
const priceIn = ({ limit }: Budget, prices: Prices | undefined, usage: Usage): number => {
  if (limit === 'tokens') return usage.inputTokens + usage.outputTokens;
  return prices ? costOf(dearest(prices), usage) : 0;
};

/** The model calls of one invocation that hold something back now, by their loops. */
class Reservations {
  readonly #held = new Set<string>();
  readonly #changes = new Changes();

  hold(frame: string): void {
    this.#held.add(frame);
  }

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

/** The loops of one turn share what one invocation has of their memories. */
const RESERVATIONS = new WeakMap<Loop['memories'], Reservations>();

function reservationsOf({ memories }: Loop): Reservations {
  const reservations = RESERVATIONS.get(memories) ?? new Reservations();
  RESERVATIONS.set(memories, reservations);
  return reservations;
}
