import type { Decision } from '../tool/call.ts';
import { failure, type ToolResult } from '../tool/tool-result.ts';
import { type EventOf, type FinalOutcome, inFrame } from './events.ts';
import { type CallRecord, mayHaveHappened, openBatch, sentResult, type TurnState } from './state.ts';

/**
 * Ends for every call that a turn leaves open, innermost frames first, so that no call of the history is without an
 * answer. Whoever ends a turn journals them; of a turn that nobody could read, the fold does without the events.
 */
export function closeOpenCalls(turn: TurnState, outcome: FinalOutcome): EventOf<'tool-call-ended'>[] {
  return [...turn.frames.values()].reverse().flatMap((frame) =>
    openBatch(frame)
      .filter((call) => !call.ended)
      .map((call) => ({
        type: 'tool-call-ended',
        turn: turn.id,
        ...inFrame(frame.id),
        call: call.id,
        result: closing(turn, call, outcome),
        ...(call.atEnd && { changes: { facts: call.atEnd } }),
      })),
  );
}

function closing(turn: TurnState, call: CallRecord, outcome: FinalOutcome): ToolResult {
  const sent = sentResult(call);
  if (sent) return sent;
  const isCancelled = outcome === 'cancelled';
  if (isCancelled && call.started === 'idempotent') return cancelledRunning(call.name);
  // What a nested loop has done is nowhere in the conversation around it.
  if (mayHaveHappened(call) || turn.frames.has(call.id)) return unknownOutcome(call.name);
  const last = call.waits?.at(-1)?.answer;
  if (last?.type === 'decision' && last.decision === 'reject') return declined(call.name, last);
  const why = isCancelled ? 'was cancelled before it ran' : 'was not run';
  return failure('cancelled', `The call of '${call.name}' ${call.started ? 'was cut short' : why}.`);
}

const declined = (tool: string, { reason }: Decision): ToolResult =>
  failure(
    'declined',
    `This call of '${tool}' was declined and did not run.${reason ? ` Reason: ${reason}` : ''}`,
  );

/** Said of a call that may or may not have happened; the model is never told that it failed. */
export const unknownOutcome = (tool: string): ToolResult =>
  failure(
    'unknown-outcome',
    `The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
      'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
  );

/** Said of a call that a cancel met, and that may be run again under its key. */
export const cancelledRunning = (tool: string): ToolResult =>
  failure('cancelled', `The call of '${tool}' was cancelled while it ran. It may have taken effect.`);
