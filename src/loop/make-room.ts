import { isStart } from '../journal/conversation.ts';
import { type Cut, cutMessages } from '../journal/cut.ts';
import type { Message } from '../journal/state.ts';
import { ModelError, type ModelRequest, type RequestLength } from '../model/chat-model.ts';
import { sumFileTokens, withoutBytes } from '../model/given-to.ts';
import { ENCODER } from '../tool/async.ts';
import { type Loop, toLoopFields } from './loop.ts';

/** Builds the model request for a conversation. */
export type RequestBuilder = (conversation: readonly Message[]) => ModelRequest;

/** The fraction of the model's context to fill. The rest is for the reply and the next results. */
const FILLED_FRACTION = 0.75;
/** The fraction of a request to keep if the provider reported no lengths. */
const KEPT_FRACTION = 1 / 3;
/** The assumed bytes per token if the provider reported no count. Most texts have more bytes per token. */
const BYTES_PER_TOKEN = 3;
/** The minimum characters of a shortened result. A shorter one would not help a model. */
const MIN_RESULT_CHARACTERS = 256;

/** Returns whether the model refused a request because it is longer than its context. */
export const isTooLong = (failure: unknown): failure is ModelError =>
  failure instanceof ModelError && failure.failure === 'context-length';

/**
 * Decides how much of a conversation to show after it was too long for the model, and emits the cut. It does
 * this once between two replies. Drops the oldest turns first, then shortens the longest results of this
 * turn, and last drops the summary of earlier turns, until the next request very probably fits. Returns the
 * failure of the loop if the model already refused a shortened conversation, or if there is no more to cut.
 */
export function makeRoom(loop: Loop, toRequest: RequestBuilder, failure: ModelError): ModelError | undefined {
  const { frame, spec } = loop;
  if (frame.shortened) return createTooLongError(loop, 'even after it was shortened', failure);
  const { messages } = frame;
  const countCutBytes = (left: Cut): number => countRequestBytes(toRequest(cutMessages(messages, left)));
  const all = countCutBytes({});
  const aim = computeTargetBytes(all, failure.length);
  const left = findCut(messages, spec.policies.resultCharacters, (some) => countCutBytes(some) <= aim);
  if (countCutBytes(left) >= all) return createTooLongError(loop, 'and cannot be shortened further', failure);
  loop.journal.emit({ type: 'conversation-cut', ...toLoopFields(loop), ...left });
  return undefined;
}

function findCut(messages: readonly Message[], characters: number, fits: (left: Cut) => boolean): Cut {
  const all = messages.filter(isStart).length;
  const left = all > 1 ? { turns: findGreatest(1, all - 1, (turns) => fits({ turns })) } : {};
  if (fits(left)) return left;
  const less = {
    ...left,
    results: findGreatest(MIN_RESULT_CHARACTERS, characters, (some) => fits({ ...left, results: some })),
  };
  const least: Cut = { ...less, turns: 1, summary: '' };
  // Keeps the summary if dropping it would not help, such as when a single message is too long.
  return fits(least) && !fits(less) ? least : less;
}

/**
 * Returns the greatest number from `low` to `high` that fits, or `low` if none does. If a number fits, all
 * smaller ones must fit too.
 */
function findGreatest(low: number, high: number, fits: (count: number) => boolean): number {
  let [fitting, tried] = [low, high];
  while (fitting < tried) {
    const middle = Math.ceil((fitting + tried) / 2);
    if (fits(middle)) fitting = middle;
    else tried = middle - 1;
  }
  return fitting;
}

/**
 * Returns the target size in bytes of the next request, from the size of the refused one and the lengths that
 * the provider reported.
 */
function computeTargetBytes(
  bytes: number,
  { sent = bytes / BYTES_PER_TOKEN, most: room }: RequestLength = {},
): number {
  return room === undefined ? bytes * KEPT_FRACTION : bytes * FILLED_FRACTION * Math.min(1, room / sent);
}

/** Returns the size of a request: the bytes of its JSON, and an estimate from tokens for its files. */
const countRequestBytes = (request: ModelRequest): number =>
  ENCODER.encode(JSON.stringify(request, withoutBytes)).length +
  request.messages.reduce((bytes, message) => bytes + BYTES_PER_TOKEN * sumFileTokens(message), 0);

const createTooLongError = ({ spec: { model } }: Loop, why: string, failure: ModelError): ModelError => {
  const { message, reason, status, length } = failure;
  const told =
    `The conversation is too long for the model '${model.name}', ${why}. Shorten the message, the instructions or the tools, ` +
    'or use a model with a longer context. ';
  return new ModelError('context-length', told + message, { reason: told + reason, status, length });
};
