import type { FinalOutcome, SessionEvent } from '../journal/events.ts';
import { type CallRecord, mayHaveHappened, openBatch, sentResult, type TurnState } from '../journal/state.ts';
import { callEnded } from '../tool-loop/execute-call.ts';
import { cancelledRunning, unknownOutcome } from '../tool-loop/run-leaf.ts';
import type { Decision } from '../tools/decision.ts';
import { failure, type ToolResult } from '../tools/tool-result.ts';

/**
 * Ends for every call that a turn leaves open, innermost frames first, so that no call of the history is without an
 * answer (LOOP-16).
 */
export function closeOpenCalls(turn: TurnState, outcome: FinalOutcome): SessionEvent[] {
  return [...turn.frames.values()].reverse().flatMap((frame) =>
    openBatch(frame)
      .filter((call) => !call.ended)
      .map((call) =>
        callEnded({ turn: turn.id, frame: frame.id }, call, { result: closing(turn, call, outcome) }),
      ),
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
