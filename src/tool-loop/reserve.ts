import { inFrame, ROOT } from '../journal/events.ts';
import { framesAround } from '../journal/spending.ts';
import type { FrameState } from '../journal/state.ts';
import type { ModelRequest } from '../model/chat-model.ts';
import { costOf, type Usage } from '../model/prices.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import { type Budget, priceIn, type Room, roomIn, usedOf } from './budget.ts';
import type { Loop } from './loop.ts';
import { isPlanned } from './planned-model.ts';
import { type RequestSize, sizeOf } from './request-size.ts';

/** The most tokens of a reply under a limit, where its model does not say: what most models can write at once. */
const MAX_OUTPUT = 4_096;

/** The fewest tokens of a reply that is of use: a tool call with a small input, or a few sentences. */
const MIN_OUTPUT = 256;

/** Thrown out of a model call that may not be tried again, since a limit does not allow it. */
export class OutOfBudget extends Error {
  override readonly name = 'OutOfBudget';
}

/** The model calls of one invocation that hold something back now, by their frames. */
export class Reservations {
  readonly #held = new Set<string>();
  #changed = Promise.withResolvers<void>();

  hold(frame: string): void {
    this.#held.add(frame);
  }

  /** What the call used is known, or never will be. */
  release(frame: string): void {
    if (!this.#held.delete(frame)) return;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  get held(): ReadonlySet<string> {
    return this.#held;
  }

  /** Resolves when the next one is released. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }
}

/**
 * Holds back in every limit around the loop what a request may use at the most, and answers the request as it may be sent
 * once that is stored; or `undefined` when a limit does not leave enough for a useful reply, which is journaled and ends
 * the loop. Room that other model calls hold back now is waited for. Without a limit nothing is stored or waited for.
 *
 * `outputTokens`: of an attempt before, whose request is sent again as it was.
 *
 * @throws Interrupted when the wait was cut short.
 */
export async function reserve(
  loop: Loop,
  frame: FrameState,
  request: ModelRequest,
  outputTokens?: number,
): Promise<ModelRequest | undefined> {
  const { budgets, model, reservations, invocation } = loop;
  if (budgets.length === 0 || isPlanned(model)) return request;
  reservations.release(frame.id);
  const { size, most, least } = needOf(loop, frame, request, outputTokens);
  for (;;) {
    const room = tightest(loop, size);
    if (room.outputTokens >= least) return hold(loop, request, size, Math.min(most, room.outputTokens));
    if (!isHeldWithin(loop, room.budget)) {
      emitRefused(loop, room.budget, { inputTokens: size.inputTokens, outputTokens: least });
      return undefined;
    }
    await untilAborted(invocation.modelSignal, reservations.changed);
    invocation.checkpoint();
  }
}

/**
 * As `reserve`, for a request that the loop can do without: `undefined` when a limit leaves too little for it, which is not
 * journaled and ends nothing. To be asked for while nothing else of the turn runs.
 */
export async function reserveSpare(
  loop: Loop,
  frame: FrameState,
  request: ModelRequest,
): Promise<ModelRequest | undefined> {
  if (loop.budgets.length === 0 || isPlanned(loop.model)) return request;
  loop.reservations.release(frame.id);
  const { size, most, least } = needOf(loop, frame, request);
  const { outputTokens } = tightest(loop, size);
  return outputTokens < least ? undefined : hold(loop, request, size, Math.min(most, outputTokens));
}

interface Need {
  readonly size: RequestSize;
  /** Tokens of the reply. */
  readonly most: number;
  readonly least: number;
}

function needOf({ model }: Loop, frame: FrameState, request: ModelRequest, outputTokens?: number): Need {
  const most =
    outputTokens ?? Math.min(request.maxOutputTokens ?? Infinity, model.maxOutputTokens ?? MAX_OUTPUT);
  const least = outputTokens ?? Math.min(MIN_OUTPUT, most);
  return { size: sizeOf(model.name, request, frame.measured), most, least };
}

/** Stores what is held back, and answers the request as it may be sent. */
async function hold(
  loop: Loop,
  request: ModelRequest,
  size: RequestSize,
  outputTokens: number,
): Promise<ModelRequest> {
  emitAsked(loop, size, { inputTokens: size.inputTokens, outputTokens });
  loop.reservations.hold(loop.frame);
  await loop.journal.durable();
  loop.invocation.checkpoint();
  return { ...request, maxOutputTokens: outputTokens };
}

/** The budget that leaves the least. */
function tightest({ budgets, journal, model: { prices } }: Loop, { inputTokens }: RequestSize): Room {
  const { turn } = journal.state;
  return budgets
    .map((budget) => roomIn(budget, inputTokens, { turn, prices }))
    .reduce((least, room) => (room.outputTokens < least.outputTokens ? room : least));
}

/** Whether a model call that is running now may give something of this budget back. */
function isHeldWithin({ reservations, journal: { state } }: Loop, { frame: of }: Budget): boolean {
  const { turn } = state;
  return [...reservations.held].some((id) => {
    const holder = turn?.frames.get(id);
    return turn && holder && framesAround(turn, holder).some((frame) => frame.id === of);
  });
}

function emitAsked(
  { journal, turn, frame, model }: Loop,
  { print: request }: RequestSize,
  usage: Usage,
): void {
  const reserved = { ...usage, ...(model.prices && { cost: costOf(model.prices, usage) }) };
  journal.emit({ type: 'model-asked', turn, ...inFrame(frame), reserved, request });
}

function emitRefused({ journal, turn, frame, model }: Loop, budget: Budget, least: Usage): void {
  const { limit, most, frame: of } = budget;
  journal.emit({
    type: 'model-refused',
    turn,
    ...inFrame(frame),
    limit,
    ...(of !== ROOT && { of }),
    most,
    used: usedOf(budget, journal.state.turn),
    needed: priceIn(budget, model.prices, least),
  });
}
