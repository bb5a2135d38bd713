import { ROOT } from '../../journal/events.ts';
import { ModelCallRefused } from '../../loop/ask-reply.ts';
import { inLoop, type Loop, timeIn } from '../../loop/loop.ts';
import type { ModelMessage, ModelRequest, OutputFormat, ToolDefinition } from '../../model/chat-model.ts';
import { hasParts, tokensOfFiles, withoutBytes } from '../../model/given-to.ts';
import { costOf, dearest, type Prices, type Usage, usd } from '../../model/prices.ts';
import { Changes, ENCODER, memoized, untilAborted } from '../../tool/async.ts';
import { factOf } from '../../tool/tool-memory.ts';
import {
  BUDGETS,
  loopsAround,
  type Measured,
  type RequestLengths,
  SPENDING,
  type Spending,
} from './spending.ts';

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
  memories.of(SPENDING).valueIn(journal.state.memories, SPENDING, frame.path);

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
  if (prices.output === 0) return Infinity;
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

/** How long a request is, and a number of tokens that it does not exceed. */
interface RequestSize {
  readonly lengths: RequestLengths;
  readonly inputTokens: number;
}

/** What chat templates put around a message, and around a request; generous: they take 3 to 10. */
const AROUND_MESSAGE = 16;
const AROUND_REQUEST = 64;
/** What providers tell a model beside its tools (Anthropic: up to 530 tokens) and a form, in words of their own. */
const AROUND_TOOLS = 1_024;
const AROUND_OUTPUT = 256;

/**
 * Measures a request before it is sent. A token of the byte-level and byte-fallback tokenizers that models use stands for
 * one byte at least, so the bytes of the request's JSON, with what is put around its parts, are never fewer than its
 * tokens. That is about four times what they are in English; once a provider has counted an earlier request of the
 * conversation, its figure stands for all that is the same, and only what is new is counted in bytes.
 *
 * The system text, the tools, or the messages that were there are taken for the same when they are as long as they were.
 * Else all bytes of that part count beside the figure, which is never too few. A change that keeps a part's length is not
 * seen: then the number falls short by as many tokens as the new words have more than the old ones, at most the part's
 * bytes. Of a date or a counter those are a few, and every message that came is counted for some thirty too many.
 */
export function sizeOf(model: string, request: ModelRequest, known: Measured | undefined): RequestSize {
  const [first, ...others] = request.messages;
  const isTold = first?.role === 'system';
  const system = bytesOf(isTold ? first.text : '');
  const tools = bytesAround(request);
  const told = (isTold ? others : request.messages).map(bytesOfMessage);
  const text = sum(told);
  const lengths = { model, system, tools, messages: told.length, text };
  const all = AROUND_REQUEST + system + tools + text;
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

const bytesOfMessage = (message: ModelMessage): number =>
  bytesOf(jsonOf(message)) + tokensOfFiles(message) + AROUND_MESSAGE;

/** Looking at every value takes several times as long, and only messages with files need it. */
const jsonOf = (message: ModelMessage): string =>
  hasParts(message) ? JSON.stringify(message, withoutBytes) : JSON.stringify(message);

/** Lists of definitions and forms are never mutated, and outlive their requests. */
const bytesOfJson = memoized((value: readonly ToolDefinition[] | OutputFormat) => ({
  bytes: bytesOf(JSON.stringify(value)),
}));

const bytesAround = ({ tools, output }: ModelRequest): number =>
  (tools.length > 0 ? bytesOfJson(tools).bytes + tools.length * AROUND_MESSAGE + AROUND_TOOLS : 0) +
  (output ? bytesOfJson(output).bytes + AROUND_OUTPUT : 0);

const bytesOf = (text: string): number => ENCODER.encode(text).length;
