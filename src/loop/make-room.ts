import { isStart } from '../journal/conversation.ts';
import { type Cut, cutMessages } from '../journal/cut.ts';
import type { Message } from '../journal/state.ts';
import { ModelError, type ModelRequest, type ToldLength } from '../model/chat-model.ts';
import { tokensOfFiles, withoutBytes } from '../model/given-to.ts';
import { ENCODER } from '../tool/async.ts';
import { inLoop, type Loop } from './loop.ts';

/** The request in which a conversation would be shown. */
export type ToRequest = (conversation: readonly Message[]) => ModelRequest;

/** The part of what a model can read that is filled again: its reply needs room too, and so do the next results. */
const FILLED = 0.75;
/** The part of a request that is kept when nobody told how much is too much. */
const KEPT = 1 / 3;
/** Bytes of a token where nobody counted; most texts have more. */
const BYTES = 3;
/** The fewest characters to which a result is shortened: with less of it, a model is as well off without. */
const FEWEST = 256;

/** True when the model has refused a request because it is longer than its context. */
export const isTooLong = (failure: unknown): failure is ModelError =>
  failure instanceof ModelError && failure.failure === 'context-length';

/**
 * After a model was shown too much: decides what is left to show, once between two replies, and emits that. The oldest turns
 * leave first, then the longest results of this one are shortened, and last the summary leaves of what was before, until the
 * next request very probably fits. Returns the failure of the loop if the model still refuses, or nothing is left to shorten.
 */
export function makeRoom(loop: Loop, toRequest: ToRequest, failure: ModelError): ModelError | undefined {
  const { frame, spec } = loop;
  if (frame.shortened) return tooLong(loop, 'though it was shortened', failure);
  const { messages } = frame;
  const bytes = (left: Cut): number => bytesOf(toRequest(cutMessages(messages, left)));
  const all = bytes({});
  const aim = aimOf(all, failure.length);
  const left = cutOf(messages, spec.policies.resultCharacters, (some) => bytes(some) <= aim);
  if (bytes(left) >= all) return tooLong(loop, 'and nothing of it is left to shorten', failure);
  loop.journal.emit({ type: 'conversation-cut', ...inLoop(loop), ...left });
  return undefined;
}

function cutOf(messages: readonly Message[], characters: number, fits: (left: Cut) => boolean): Cut {
  const all = messages.filter(isStart).length;
  const left = all > 1 ? { turns: most(1, all - 1, (turns) => fits({ turns })) } : {};
  if (fits(left)) return left;
  const less = {
    ...left,
    results: most(FEWEST, characters, (some) => fits({ ...left, results: some })),
  };
  const least: Cut = { ...less, turns: 1, summary: '' };
  // Where nothing helps, as after a message that is too long by itself, a summary is not given up in vain.
  return fits(least) && !fits(less) ? least : less;
}

/** The greatest number from `low` to `high` that fits, as do all below it; `low` when none does. */
function most(low: number, high: number, fits: (count: number) => boolean): number {
  let [fitting, tried] = [low, high];
  while (fitting < tried) {
    const middle = Math.ceil((fitting + tried) / 2);
    if (fits(middle)) fitting = middle;
    else tried = middle - 1;
  }
  return fitting;
}

/** How many bytes the next request should have, of one with so many, which was refused with these words. */
function aimOf(bytes: number, { sent = bytes / BYTES, most: room }: ToldLength = {}): number {
  return room === undefined ? bytes * KEPT : bytes * FILLED * Math.min(1, room / sent);
}

/** A request weighs what its JSON does, and its files by their tokens. */
const bytesOf = (request: ModelRequest): number =>
  ENCODER.encode(JSON.stringify(request, withoutBytes)).length +
  request.messages.reduce((bytes, message) => bytes + BYTES * tokensOfFiles(message), 0);

const tooLong = ({ spec: { model } }: Loop, why: string, failure: ModelError): ModelError => {
  const { message, reason, status, length } = failure;
  const told =
    `The conversation is too long for the model '${model.name}', ${why}: shorten the message, the instructions or the tools, ` +
    'or use a model that reads more. ';
  return new ModelError('context-length', told + message, { reason: told + reason, status, length });
};
