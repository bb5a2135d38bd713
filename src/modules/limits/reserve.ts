import { ROOT } from '../../journal/events.ts';
import { ModelRefusalError } from '../../loop/ask-reply.ts';
import { getLoopTime, type Loop, toLoopFields } from '../../loop/loop.ts';
import type { ModelMessage, ModelRequest, OutputFormat, ToolDefinition } from '../../model/chat-model.ts';
import { hasParts, sumFileTokens, withoutBytes } from '../../model/given-to.ts';
import { computeCost, computeHighestPrices, type Prices, roundUsd, type Usage } from '../../model/prices.ts';
import { ChangeNotifier, ENCODER, memoize, raceAbort } from '../../tool/async.ts';
import { createFact } from '../../tool/tool-memory.ts';
import {
  BUDGETS_MODULE,
  listEnclosingLoops,
  type MeasuredRequest,
  type RequestLengths,
  SPENDING_MEMORY,
  type Spending,
} from './spending.ts';

/** A limit on the usage of models, and the loop that it applies to, including nested loops. */
export interface Budget {
  readonly frame: string;
  readonly limit: 'tokens' | 'cost';
  readonly most: number;
}

/**
 * The default maximum of a reply's tokens under a budget, if the model does not declare one. Most models can
 * write this many tokens in one reply.
 */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/** The minimum number of tokens for a useful reply: a tool call with a small input, or a few sentences. */
const MIN_OUTPUT_TOKENS = 256;

interface ReservationRequest {
  readonly loop: Loop;
  /** All budgets that apply to the loop, at least one. */
  readonly budgets: readonly Budget[];
  readonly request: ModelRequest;
  /** The output tokens of the previous attempt, whose request is sent again unchanged. */
  readonly outputTokens?: number | undefined;
}

/**
 * Reserves the maximum that a request can use in every budget of the loop. Returns the request to send, after
 * the reservation is stored. If reservations of other model calls leave too little, waits for those calls.
 *
 * @throws ModelRefusalError if a budget does not leave enough for a useful reply.
 * @throws InterruptionError if the wait was cut short.
 */
export async function reserve(reserving: ReservationRequest): Promise<ModelRequest> {
  const { loop, request } = reserving;
  const { frame, holder } = loop;
  const reservations = getReservations(loop);
  reservations.release(frame.id);
  const { size, most, least } = computeNeed(reserving);
  for (;;) {
    const room = findTightestRoom(reserving, size);
    if (room.outputTokens >= least)
      return holdUsage(loop, request, { size, outputTokens: Math.min(most, room.outputTokens) });
    if (!isHeldWithin(loop, room.budget))
      throw createBudgetRefusal(loop, room.budget, { inputTokens: size.inputTokens, outputTokens: least });
    await raceAbort(holder.modelSignal, reservations.changed);
    holder.checkpoint();
  }
}

/** Releases the reservation of the loop's call. Its outcome is known, or will never be known. */
export const release = (loop: Loop): void => getReservations(loop).release(loop.frame.id);

/** Returns the current spending of a loop's session. */
export const getSpending = ({ memories, journal, frame }: Loop): Spending =>
  memories.of(SPENDING_MEMORY).valueIn(journal.state.memories, SPENDING_MEMORY, frame.path);

/** Returns the usage that counts against a budget. Returns 0 after its loop has ended. */
export const getUsed = ({ frame, limit }: Budget, { loops }: Spending): number =>
  loops[frame]?.spent[limit] ?? 0;

/** The room that one budget leaves for the output of a call. */
interface OutputRoom {
  readonly budget: Budget;
  /** Negative if not even the input fits. */
  readonly outputTokens: number;
}

/** Returns the room in the budget that leaves the least. */
function findTightestRoom({ loop, budgets }: ReservationRequest, { inputTokens }: RequestSize): OutputRoom {
  const spending = getSpending(loop);
  return budgets
    .map((budget) => computeRoom(budget, inputTokens, { spending, prices: loop.spec.model.prices }))
    .reduce((least, room) => (room.outputTokens < least.outputTokens ? room : least));
}

/** Returns the room that a budget leaves for the output of a call with this input. */
function computeRoom(
  budget: Budget,
  inputTokens: number,
  { spending, prices }: { readonly spending: Spending; readonly prices: Prices | undefined },
): OutputRoom {
  const left = roundUsd(budget.most - getUsed(budget, spending));
  if (budget.limit === 'tokens') return { budget, outputTokens: left - inputTokens };
  if (!prices) return { budget, outputTokens: -1 };
  return { budget, outputTokens: computeAffordableTokens(computeHighestPrices(prices), inputTokens, left) };
}

function computeAffordableTokens(prices: Prices, inputTokens: number, left: number): number {
  const rest = left - computeCost(prices, { inputTokens, outputTokens: 0 });
  if (rest < 0) return -1;
  if (prices.output === 0) return Infinity;
  let outputTokens = Math.floor((rest * 1e6) / prices.output);
  // The division can round up to one token too many.
  while (outputTokens > 0 && computeCost(prices, { inputTokens, outputTokens }) > left) outputTokens -= 1;
  return outputTokens;
}

interface ReservationNeed {
  readonly size: RequestSize;
  /** The maximum number of tokens in the reply. */
  readonly most: number;
  readonly least: number;
}

function computeNeed({ loop, request, outputTokens }: ReservationRequest): ReservationNeed {
  const { model } = loop.spec;
  const { maxOutputTokens: ofModel = Infinity } = model;
  const most =
    outputTokens ??
    Math.min(request.maxOutputTokens ?? model.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS, ofModel);
  const least = outputTokens ?? Math.min(MIN_OUTPUT_TOKENS, most);
  // Models count tokens differently, so the measured count does not apply to several candidates.
  const measured = model.candidates ? undefined : getSpending(loop).loops[loop.frame.id]?.measured;
  return { size: estimateSize(model.name, request, measured), most, least };
}

interface MaxUsage {
  readonly size: RequestSize;
  /** The maximum number of tokens in the reply. */
  readonly outputTokens: number;
}

/** Stores a reservation, and returns the request to send. */
async function holdUsage(
  loop: Loop,
  request: ModelRequest,
  { size, outputTokens }: MaxUsage,
): Promise<ModelRequest> {
  const { prices } = loop.spec.model;
  const usage = { inputTokens: size.inputTokens, outputTokens };
  const reserved = { ...usage, ...(prices && { cost: computeCost(computeHighestPrices(prices), usage) }) };
  const fact = createFact(SPENDING_MEMORY, { reserved, request: size.lengths });
  const facts = [{ ...fact, at: getLoopTime(loop) }];
  loop.journal.emit({ type: 'module-event', ...toLoopFields(loop), module: BUDGETS_MODULE.name, facts });
  getReservations(loop).hold(loop.frame.id);
  await loop.journal.durable();
  loop.holder.checkpoint();
  return { ...request, maxOutputTokens: outputTokens };
}

/** Returns `true` if a running model call can still release part of this budget. */
function isHeldWithin(loop: Loop, { frame }: Budget): boolean {
  const spending = getSpending(loop);
  return [...getReservations(loop).held].some((id) => listEnclosingLoops(spending, id).includes(frame));
}

function createBudgetRefusal(loop: Loop, budget: Budget, least: Usage): ModelRefusalError {
  const { limit, most, frame: of } = budget;
  return new ModelRefusalError({
    limit,
    ...(of !== ROOT && { of }),
    most,
    used: getUsed(budget, getSpending(loop)),
    needed: computePrice(budget, loop.spec.model.prices, least),
  });
}

/** Returns the maximum that a call can use of a budget, in its unit. */
const computePrice = ({ limit }: Budget, prices: Prices | undefined, usage: Usage): number => {
  if (limit === 'tokens') return usage.inputTokens + usage.outputTokens;
  return prices ? computeCost(computeHighestPrices(prices), usage) : 0;
};

/** The current reservations of one invocation, by loop. */
class Reservations {
  readonly #held = new Set<string>();
  readonly #changes = new ChangeNotifier();

  hold(frame: string): void {
    this.#held.add(frame);
  }

  release(frame: string): void {
    if (this.#held.delete(frame)) this.#changes.notify();
  }

  get held(): ReadonlySet<string> {
    return this.#held;
  }

  get changed(): Promise<void> {
    return this.#changes.next;
  }
}

/** The reservations by the memories object that all loops of a turn share in an invocation. */
const RESERVATIONS = new WeakMap<Loop['memories'], Reservations>();

function getReservations({ memories }: Loop): Reservations {
  const reservations = RESERVATIONS.get(memories) ?? new Reservations();
  RESERVATIONS.set(memories, reservations);
  return reservations;
}

/** The lengths of a request, and an upper bound of its tokens. */
interface RequestSize {
  readonly lengths: RequestLengths;
  readonly inputTokens: number;
}

/**
 * The tokens that chat templates add to a message and to a request. This is a generous estimate, since
 * templates add 3 to 10.
 */
const MESSAGE_OVERHEAD = 16;
const REQUEST_OVERHEAD = 64;
/** The tokens that providers add to a request with tools (Anthropic: up to 530) or with an output format. */
const TOOLS_OVERHEAD = 1_024;
const OUTPUT_OVERHEAD = 256;

/**
 * Measures a request before it is sent. A token of the byte-level and byte-fallback tokenizers of models
 * covers at least one byte. The bytes of the request's JSON, plus the additions around its parts, are
 * therefore an upper bound of its tokens. For English text, that is about four times the real number. After a
 * provider has counted an earlier request of the conversation, its count replaces the bytes of the unchanged
 * parts, and only new parts are counted in bytes.
 *
 * The system text, the tools, and the earlier messages count as unchanged if their length is unchanged.
 * Otherwise all bytes of that part count in addition to the provider's count, which is never too low. A
 * change with equal length goes unnoticed. The result is then too low by the extra tokens of the new text, at
 * most the part's bytes. For a date or a counter, that is a few tokens, while each new message is
 * overestimated by about 30.
 */
export function estimateSize(
  model: string,
  request: ModelRequest,
  known: MeasuredRequest | undefined,
): RequestSize {
  const [first, ...others] = request.messages;
  const isTold = first?.role === 'system';
  const system = countBytes(isTold ? first.text : '');
  const tools = estimateOverhead(request);
  const told = (isTold ? others : request.messages).map(countMessageBytes);
  const text = sum(told);
  const lengths = { model, system, tools, messages: told.length, text };
  const all = REQUEST_OVERHEAD + system + tools + text;
  if (known?.request.model !== model) return { lengths, inputTokens: all };
  const { request: before, inputTokens } = known;
  const since = told.length < before.messages ? text : sum(told.slice(before.messages));
  const fresh =
    (before.system === system ? 0 : system) +
    (before.tools === tools ? 0 : tools) +
    (before.text === text - since ? since : text);
  return { lengths, inputTokens: Math.min(all, inputTokens + fresh) };
}

const sum = (lengths: readonly number[]): number => lengths.reduce((all, one) => all + one, 0);

const countMessageBytes = (message: ModelMessage): number =>
  countBytes(stringifyMessage(message)) + sumFileTokens(message) + MESSAGE_OVERHEAD;

/** A replacer is several times slower, and only messages with files need it. */
const stringifyMessage = (message: ModelMessage): string =>
  hasParts(message) ? JSON.stringify(message, withoutBytes) : JSON.stringify(message);

/** Lists of definitions and output formats are never mutated, and outlive their requests. */
const bytesOfJson = memoize((value: readonly ToolDefinition[] | OutputFormat) => ({
  bytes: countBytes(JSON.stringify(value)),
}));

const estimateOverhead = ({ tools, output }: ModelRequest): number =>
  (tools.length > 0 ? bytesOfJson(tools).bytes + tools.length * MESSAGE_OVERHEAD + TOOLS_OVERHEAD : 0) +
  (output ? bytesOfJson(output).bytes + OUTPUT_OVERHEAD : 0);

const countBytes = (text: string): number => ENCODER.encode(text).length;
