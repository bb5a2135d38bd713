import { type Answer, inFrame, type SessionEvent, type Wait } from '../journal/events.ts';
import type { InboxRow } from '../journal/session-port.ts';
import { type CallRecord, openBatch, pendingWait, type TurnState, waitId } from '../journal/state.ts';
import { failure } from '../tools/tool-result.ts';

/** An open call that waits, and where it stands. */
export interface PendingCall {
  readonly frame: string;
  readonly call: CallRecord;
  readonly wait: Wait;
  /** Names this wait of the call. */
  readonly id: string;
}

/** What a turn waits for, outermost frames first, each in source order. */
export const pendingCalls = (turn: TurnState | undefined): PendingCall[] =>
  [...(turn?.frames.values() ?? [])].flatMap((frame) =>
    openBatch(frame).flatMap((call) => {
      const wait = call.ended ? undefined : pendingWait(call);
      const index = (call.waits?.length ?? 1) - 1;
      return wait ? [{ frame: frame.id, call, wait, id: waitId(call.id, index) }] : [];
    }),
  );

/** What is posted to the holder of a session for a call that waits. */
export interface AnswerNote {
  readonly wait: string;
  readonly answer: Answer;
}

/** The event of a note that answers a wait, or that its time is over; `undefined` when nothing waits for it any more. */
export function toAnswered(turn: TurnState | undefined, row: InboxRow): SessionEvent | undefined {
  const note = row.kind === 'answer' ? (JSON.parse(row.body) as AnswerNote) : undefined; // what was posted as one
  const id = note?.wait ?? row.body;
  const pending = pendingCalls(turn).find((one) => one.id === id);
  if (!turn || !pending) return undefined;
  const answer = note?.answer ?? expired(pending);
  return {
    type: 'tool-call-answered',
    turn: turn.id,
    ...inFrame(pending.frame),
    call: pending.call.id,
    answer,
  };
}

function expired({ call, wait }: PendingCall): Answer {
  if (wait.for === 'decision') return { type: 'decision', decision: wait.onExpiry, expired: true };
  const result = failure('declined', `No result of '${call.name}' was sent in time. It may have run or not.`);
  return { type: 'result', result: { ...result } };
}
