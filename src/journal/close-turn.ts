import type { Decision } from '../tools/decision.ts';
import { failure, type ToolResult } from '../tools/tool-result.ts';
import { type FinalOutcome, inFrame, type SessionEvent } from './events.ts';
import { type CallRecord, mayHaveHappened, openBatch, sentResult, type TurnState } from './state.ts';
import { cancelledRunning, unknownOutcome } from './unknown-outcome.ts';

/**
 * Ends for every call that a turn leaves open, innermost frames first, so that no call of the history is without an
 * answer (LOOP-16). Whoever ends a turn journals them; of a turn that nobody could read, the fold does without the events.
 */
export function closeOpenCalls(turn: TurnState, outcome: FinalOutcome): CallEnded[] {
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

type CallEnded = Extract<SessionEvent, { type: 'tool-call-ended' }>;

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
