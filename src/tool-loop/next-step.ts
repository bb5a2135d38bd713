import type { Outcome, TurnError } from '../journal/events.ts';
import { type CallRecord, type FrameState, openBatch, pendingWait } from '../journal/state.ts';
import type { Signal } from '../tools/tool-result.ts';

/** What a loop does next. */
export type Step =
  /** Call the model; `last`: without tools, for the best answer now. */
  | { readonly do: 'ask'; readonly last: boolean }
  /** Run the calls of the last reply that have not ended. */
  | { readonly do: 'act' }
  | ({ readonly do: 'end' } & LoopEnd);

/** How a loop stopped. */
export interface LoopEnd {
  readonly outcome: Outcome;
  readonly error?: TurnError;
  readonly signal?: Signal;
}

/** Calls of unknown tools in a row after which the model is not told a fourth time (TNF-01). */
const UNKNOWN_TOOLS = 3;
/** Blank replies that are nudged (EMP-02). */
const BLANK_REPLIES = 1;

/**
 * Decides from the folded state alone, so that any invocation goes on where the journal stands, whoever wrote it.
 */
export function nextStep(frame: FrameState, limits: { readonly iterations: number }): Step {
  const last = frame.messages.at(-1);
  if (last?.role !== 'assistant') return { do: 'ask', last: false };
  const open = openBatch(frame);
  if (open.length > 0) return isWaiting(open) ? { do: 'end', outcome: 'suspended' } : { do: 'act' };
  const signal = signalOf(last.calls);
  if (signal) return { do: 'end', ...endBy(signal) };
  if (last.last) return { do: 'end', outcome: 'limit-reached' };
  if (last.calls.length > 0 && last.calls.every(({ ended }) => ended?.direct)) {
    return { do: 'end', outcome: 'returned-direct' };
  }
  if (frame.unknownTools > UNKNOWN_TOOLS) return { do: 'end', outcome: 'failed', error: unknownTools };
  if (frame.blankReplies > BLANK_REPLIES) return { do: 'end', outcome: 'failed', error: blankReplies };
  if (last.calls.length === 0 && frame.blankReplies === 0) return { do: 'end', outcome: 'completed' };
  return { do: 'ask', last: frame.iterations >= limits.iterations };
}

/** A call waits, and none is left to run before its answer: those that were answered wait for the rest of their batch. */
const isWaiting = (batch: readonly CallRecord[]): boolean =>
  batch.some(pendingWait) &&
  batch.every((call) => call.ended || pendingWait(call) || (call.waits && !call.started));

/** The strongest signal of a batch; the first of several alike (PAR-06). */
export function signalOf(batch: readonly CallRecord[]): Signal | undefined {
  const sent = batch.flatMap(({ ended }) => ended?.result.signal ?? []);
  return STRENGTHS.map((type) => sent.find((signal) => signal.type === type)).find(Boolean);
}

const STRENGTHS: readonly Signal['type'][] = [
  'misconfigured',
  'fail',
  'terminate-agent',
  'exit',
  'terminate-action',
  'replan',
];

function endBy(signal: Signal): LoopEnd {
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

const unknownTools: TurnError = {
  type: 'tool-not-found',
  message: `The model called tools that do not exist more than ${UNKNOWN_TOOLS} times in a row.`,
};

const blankReplies: TurnError = {
  type: 'empty-reply',
  message: 'The model answered with nothing, also after it was asked once more.',
};
