import {
  endsWithInterjection,
  findLastReply,
  findPendingWait,
  isExit,
  isSuspended,
  openBatch,
} from '../journal/conversation.ts';
import type { TurnError } from '../journal/events.ts';
import { sumTokens } from '../journal/spending.ts';
import type { CallRecord, FrameState, TurnState } from '../journal/state.ts';
import type { Signal } from '../tool/tool-result.ts';
import type { LoopEnd, LoopSpec } from './loop.ts';
import type { LoopPolicies } from './policies.ts';

/** The next action of a loop. */
export type Step =
  /** Call the model. With `last`, it must give its best answer now, without calls. */
  | { readonly do: 'ask'; readonly last: boolean }
  /** Run the calls of the last reply that have not ended. */
  | { readonly do: 'act' }
  /** Stop asking, and journal that the turn has used its tokens. */
  | { readonly do: 'refuse'; readonly most: number; readonly used: number }
  | ({ readonly do: 'end' } & LoopEnd);

/**
 * Returns the next step. Decides from the folded state alone, so that any invocation can resume where the
 * journal ends. `turn`: the turn whose tokens count, across all of its loops.
 */
export function decideNextStep(
  frame: FrameState,
  spec: Pick<LoopSpec, 'iterations' | 'policies' | 'tokenCeiling'>,
  turn?: Pick<TurnState, 'frames' | 'before' | 'usage'>,
): Step {
  const step = decideStep(frame, spec, turn);
  const { tokenCeiling: most = Infinity } = spec;
  const used = turn ? turn.before + sumTokens(turn.usage) : 0;
  return step.do === 'ask' && used >= most ? { do: 'refuse', most, used } : step;
}

function decideStep(
  frame: FrameState,
  { iterations, policies }: Pick<LoopSpec, 'iterations' | 'policies'>,
  turn?: Pick<TurnState, 'frames'>,
): Step {
  const { refused } = frame;
  if (refused) {
    const { limit: kind, most } = refused;
    return { do: 'end', outcome: 'limit-reached', limit: { kind, most } };
  }
  const last = findLastReply(frame.messages);
  if (!last) return { do: 'ask', last: false };
  const open = openBatch(frame);
  if (open.length > 0)
    return open.some((call) => call.waits && isSuspended(call)) && isWaiting(open, turn)
      ? { do: 'end', outcome: 'suspended' }
      : { do: 'act' };
  const signal = findSignal(last.calls);
  if (signal) return { do: 'end', ...toLoopEnd(signal) };
  // A new user message always gets an answer. At a limit, the model gives one more best answer.
  const isAnswered = !endsWithInterjection(frame.messages);
  if (last.last && isAnswered)
    return { do: 'end', outcome: 'limit-reached', limit: { kind: 'iterations', most: iterations } };
  const isDirect = isReturnedDirectly(last.calls, policies);
  if (isDirect && isAnswered) return { do: 'end', outcome: 'returned-direct' };
  const error = isDirect ? undefined : findFailure(frame, last.calls, policies);
  if (error) return { do: 'end', outcome: 'failed', error };
  const { blankReplies: blanks } = frame;
  // A blank reply counts as the answer only if no retries are left.
  const isAnswer = last.calls.length === 0 && (blanks === 0 || blanks > policies.blankReplies.retries);
  if (isAnswered && isAnswer) return { do: 'end', outcome: 'completed' };
  return { do: 'ask', last: frame.iterations >= iterations };
}

/**
 * Returns whether every call has ended, is suspended, or has been answered and waits for the rest of its
 * batch. No call can run before an answer arrives.
 */
const isWaiting = (batch: readonly CallRecord[], turn?: Pick<TurnState, 'frames'>): boolean =>
  batch.every((call) => call.ended || (call.waits && (isSuspended(call) || !call.started))) &&
  !batch.some(isSupersededBySignal(batch, turn));

/**
 * Returns whether a call still waits for permission to run after a signal has ended its loop or a reviewer
 * the turn. The same applies to a call whose nested loop contains only such calls.
 */
export const isSupersededBySignal =
  (batch: readonly CallRecord[], turn: Pick<TurnState, 'frames'> | undefined) =>
  (call: CallRecord): boolean =>
    (findSignal(batch) !== undefined || batch.some(isExit)) && isAwaitingPermission(call, turn);

function isAwaitingPermission(call: CallRecord, turn: Pick<TurnState, 'frames'> | undefined): boolean {
  if (call.ended || call.started) return false;
  const inside = openBatch(turn?.frames.get(call.id)).filter(({ ended }) => !ended);
  if (inside.length > 0) return inside.every((one) => isAwaitingPermission(one, turn));
  return isSuspended(call) && findPendingWait(call)?.for === 'decision';
}

/**
 * Returns the strongest signal that the calls of a batch sent. If several are equally strong, the first in
 * source order wins.
 */
export function findSignal(batch: readonly CallRecord[]): Signal | undefined {
  let strongest: Signal | undefined;
  for (const { ended } of batch) {
    const signal = ended?.result.signal;
    if (
      signal &&
      (!strongest || SIGNALS_BY_STRENGTH.indexOf(signal.type) < SIGNALS_BY_STRENGTH.indexOf(strongest.type))
    )
      strongest = signal;
  }
  return strongest;
}

const SIGNALS_BY_STRENGTH: readonly Signal['type'][] = [
  'misconfigured',
  'fail',
  'terminate-agent',
  'exit',
  'terminate-action',
  'replan',
];

function toLoopEnd(signal: Signal): LoopEnd {
  const { type, reason: message } = signal;
  switch (type) {
    case 'replan':
    case 'terminate-action':
      return { outcome: 'completed', signal };
    case 'terminate-agent':
    case 'exit':
      return { outcome: 'cancelled', signal };
    case 'misconfigured':
      return { outcome: 'failed', signal, error: { type, message } };
    case 'fail':
      return { outcome: 'failed', signal, error: { type: 'tool-failure', message } };
  }
}

/** Returns whether the results of a reply's calls end the loop. */
function isReturnedDirectly(calls: readonly CallRecord[], { returnDirect }: LoopPolicies): boolean {
  let direct = 0;
  for (const { ended } of calls) if (ended?.direct) direct += 1;
  return direct > 0 && (returnDirect === 'any' || direct === calls.length);
}

/**
 * Returns the error of a loop whose model too often called tools that do not exist, or gave blank replies.
 */
function findFailure(
  { unknownTools, blankReplies }: FrameState,
  calls: readonly CallRecord[],
  { unknownTools: { mode, retries }, blankReplies: blank }: LoopPolicies,
): TurnError | undefined {
  const type = 'tool-not-found';
  if (mode === 'immediate') {
    const results = calls.flatMap(({ ended }) => ended?.result ?? []);
    const first = results.find((result) => result.type === 'error' && result.reason === 'unknown-tool');
    if (first?.type === 'error') return { type, message: first.message };
  } else if (unknownTools > retries) {
    const message = `The model called tools that do not exist more than ${retries} times in a row.`;
    return { type, message };
  }
  if (blank.end === 'completed' || blankReplies <= blank.retries) return undefined;
  const asked = blank.retries === 1 ? 'once more' : `${blank.retries} more times`;
  const message = `The model returned an empty reply${blank.retries === 0 ? '' : `, even after it was asked ${asked}`}.`;
  return { type: 'empty-reply', message };
}
