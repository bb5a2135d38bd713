import { ROOT } from '../journal/events.ts';
import { framesAround } from '../journal/spending.ts';
import type { ModelFailure, ModelRequest } from '../model/chat-model.ts';
import type { Usage } from '../model/prices.ts';
import { untilAborted } from '../tool/async.ts';
import { type Budget, isPlanned, pricedAtMost, priceIn, type Room, roomIn, usedOf } from './budget.ts';
import { inLoop, type Loop } from './loop.ts';
import { ModelCallRefused } from './model-refusal.ts';
import { type RequestSize, sizeOf } from './request-size.ts';

/** The most tokens of a reply under a limit, where its model does not say: what most models can write at once. */
const MAX_OUTPUT = 4_096;

/** The fewest tokens of a reply that is of use: a tool call with a small input, or a few sentences. */
const MIN_OUTPUT = 256;

/** Says whether the provider may have begun to work on an attempt that failed. One that is asked too often refuses before. */
export const mayHaveCost = (failed?: ModelFailure): boolean => failed !== 'rate-limited';

/**
 * Holds back in every limit around the loop what a request may use at the most, and answers the request as it may be sent
 * once that is stored. Room that other model calls hold back now is waited for. Without a limit nothing is stored or waited for.
 *
 * `outputTokens`: of an attempt before, whose request is sent again as it was.
 *
 * @throws ModelCallRefused if a limit does not leave enough for a useful reply; Interrupted when the wait was cut short.
 */
export async function reserve(
  loop: Loop,
  request: ModelRequest,
  outputTokens?: number,
): Promise<ModelRequest> {
  const { frame, reservations, holder } = loop;
  const { budgets, model } = loop.spec;
  if (budgets.length === 0 || isPlanned(model)) return request;
  reservations.release(frame.id);
  const { size, most, least } = needOf(loop, request, outputTokens);
  for (;;) {
    const room = tightest(loop, size);
    if (room.outputTokens >= least)
      return hold(loop, request, { size, outputTokens: Math.min(most, room.outputTokens) });
    if (!isHeldWithin(loop, room.budget)) {
      throw refused(loop, room.budget, { inputTokens: size.inputTokens, outputTokens: least });
    }
    await untilAborted(holder.modelSignal, reservations.changed);
    holder.checkpoint();
  }
}

interface Need {
  readonly size: RequestSize;
  /** Tokens of the reply. */
  readonly most: number;
  readonly least: number;
}

function needOf({ spec, frame }: Loop, request: ModelRequest, outputTokens?: number): Need {
  const { model } = spec;
  const { maxOutputTokens: ofModel = Infinity } = model;
  const most =
    outputTokens ?? Math.min(request.maxOutputTokens ?? model.maxOutputTokens ?? MAX_OUTPUT, ofModel);
  const least = outputTokens ?? Math.min(MIN_OUTPUT, most);
  // What one of several models has counted, another counts otherwise.
  const measured = model.candidates ? undefined : frame.measured;
  return { size: sizeOf(model.name, request, measured), most, least };
}

/** How much a request may use at the most. */
interface Held {
  readonly size: RequestSize;
  /** Tokens of the reply. */
  readonly outputTokens: number;
}

/** Stores what is held back, and answers the request as it may be sent. */
async function hold(loop: Loop, request: ModelRequest, { size, outputTokens }: Held): Promise<ModelRequest> {
  const reserved = pricedAtMost(loop.spec, { inputTokens: size.inputTokens, outputTokens });
  loop.journal.emit({ type: 'model-asked', ...inLoop(loop), reserved, request: size.lengths });
  loop.reservations.hold(loop.frame.id);
  await loop.journal.durable();
  loop.holder.checkpoint();
  return { ...request, maxOutputTokens: outputTokens };
}

/** The budget that leaves the least. */
function tightest({ spec, journal }: Loop, { inputTokens }: RequestSize): Room {
  const now = { turn: journal.state.turn, prices: spec.model.prices };
  return spec.budgets
    .map((budget) => roomIn(budget, inputTokens, now))
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

function refused({ journal, spec }: Loop, budget: Budget, least: Usage): ModelCallRefused {
  const { limit, most, frame: of } = budget;
  return new ModelCallRefused({
    limit,
    ...(of !== ROOT && { of }),
    most,
    used: usedOf(budget, journal.state.turn),
    needed: priceIn(budget, spec.model.prices, least),
  });
}
