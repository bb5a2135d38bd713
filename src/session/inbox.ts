import { type Answer, inFrame, ROOT, type SessionEvent, type Wait } from '../journal/events.ts';
import type { InboxMessage } from '../journal/session-port.ts';
import {
  type CallRecord,
  openBatch,
  pendingWait,
  type SessionState,
  type TurnState,
  waitId,
} from '../journal/state.ts';
import { failure } from '../tool/tool-result.ts';

/** An open call that waits, and where it stands. */
interface WaitingCall {
  readonly frame: string;
  readonly call: CallRecord;
  readonly wait: Wait;
  /** Names this wait of the call. */
  readonly id: string;
}

/** What a turn waits for, outermost frames first, each in source order. */
const waitingCalls = (turn: TurnState): WaitingCall[] =>
  [...turn.frames.values()].flatMap((frame) =>
    openBatch(frame).flatMap((call) => {
      const wait = call.ended ? undefined : pendingWait(call);
      const index = (call.waits?.length ?? 1) - 1;
      return wait ? [{ frame: frame.id, call, wait, id: waitId(call.id, index) }] : [];
    }),
  );

/** What is posted to the holder of a session for a call that waits. */
export interface AnswerMessage {
  readonly wait: string;
  readonly answer: Answer;
}

/** What is posted to cancel a turn. */
export interface CancelMessage {
  /** Only if the turn waits: all that it waits for is declined by this one, who has sent a message instead. */
  readonly declinedBy?: string;
}

/** What is posted of a call that answers after its turn, or this invocation's part of it, has ended. */
export type LateMessage = Pick<Late, 'call' | 'tool' | 'input' | 'result'>;

type Late = Extract<SessionEvent, { type: 'late-result-received' }>;
type Started = Extract<SessionEvent, { type: 'turn-started' }>;

/** Whether a message would still be answered in the turn. */
export const isSteered = (turn: TurnState | undefined): boolean =>
  turn !== undefined && !turn.cancelRequested && turn.frames.get(ROOT)?.refused === undefined;

/** What the holder of a session journals for a note that was left for it; nothing when it is void by now. */
export function toEvents(state: SessionState, row: InboxMessage): readonly SessionEvent[] {
  const { turn } = state;
  switch (row.kind) {
    case 'cancel':
      return cancelled(turn, row);
    case 'steer':
      return turn ? [steered(turn, row)] : [];
    case 'late':
      return turn ? late(state, turn, row) : [];
    case 'answer':
    case 'expired':
      return turn ? waitOver(turn, row) : [];
  }
}

/** Nothing when it was to decline what the turn waits for, and nothing waits. */
function cancelled(turn: TurnState | undefined, row: InboxMessage): readonly SessionEvent[] {
  const { declinedBy } = JSON.parse(row.body) as CancelMessage; // what was posted as one
  const cancel: SessionEvent = { type: 'cancel-requested', turn: row.turn };
  if (!turn || declinedBy === undefined) return [cancel];
  const declining = waitingCalls(turn).map((one) => answered(turn, one, declined(one, declinedBy)));
  return declining.length === 0 ? [] : [...declining, cancel];
}

function steered(turn: TurnState, row: InboxMessage): SessionEvent {
  const { message, principal } = JSON.parse(row.body) as Started; // stored as the start of a turn
  return { type: 'turn-steered', turn: turn.id, as: row.turn, message, principal };
}

/** Whoever could not tell whether its append was stored left a note beside it. */
function late({ toldLate }: SessionState, turn: TurnState, row: InboxMessage): readonly SessionEvent[] {
  const { call, tool, input, result } = JSON.parse(row.body) as LateMessage; // what was posted as one
  if (toldLate.includes(call)) return [];
  return [{ type: 'late-result-received', turn: turn.id, call, tool, input, result }];
}

/** A wait was answered, or its time is over; nothing when nobody waits for it any more. */
function waitOver(turn: TurnState, row: InboxMessage): readonly SessionEvent[] {
  // An answer was posted as one; of a wait that expired, its id is.
  const note = row.kind === 'answer' ? (JSON.parse(row.body) as AnswerMessage) : undefined;
  const id = note?.wait ?? row.body;
  const waiting = waitingCalls(turn).find((one) => one.id === id);
  return waiting ? [answered(turn, waiting, note?.answer ?? expired(waiting))] : [];
}

const answered = (turn: TurnState, { frame, call }: WaitingCall, answer: Answer): SessionEvent => ({
  type: 'tool-call-answered',
  turn: turn.id,
  ...inFrame(frame),
  call: call.id,
  answer,
});

function expired({ call, wait }: WaitingCall): Answer {
  if (wait.for === 'decision') return { type: 'decision', decision: wait.onExpiry, expired: true };
  const result = failure('declined', `No result of '${call.name}' was sent in time. It may have run or not.`);
  return { type: 'result', result: { ...result }, expired: true };
}

function declined({ call, wait }: WaitingCall, by: string): Answer {
  const reason = 'A new message came instead.';
  if (wait.for === 'decision') return { type: 'decision', decision: 'reject', reason, by };
  const message = `No result of '${call.name}' was sent: a new message came instead. It may have run or not.`;
  return { type: 'result', result: { ...failure('declined', message) }, by };
}
