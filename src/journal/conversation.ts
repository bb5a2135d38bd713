import type { Decision } from '../tool/call.ts';
import { failure, modelText, type Signal, type ToolResult, toolResult } from '../tool/tool-result.ts';
import type { EventOf, FinalOutcome } from './events.ts';
import { framesAround } from './spending.ts';
import { type CallRecord, type FrameState, inFrame, type Message, type TurnState } from './state.ts';
import type { Wait } from './wait.ts';

/** The message that started a turn, or a nested loop. */
export const isStart = (message: Message): boolean => message.role === 'user' && message.by === undefined;

/** The call was started, and running it once more could be noticed. */
export const mayHaveHappened = ({ started }: CallRecord): boolean =>
  started === 'once' || started === 'idempotent';

/** Makes the id of a call: of its turn, the sequence of the reply that asked for it, and its index there. */
export const callId = (turn: string, reply: number, index: number): string => `${turn}.${reply}.${index}`;

/** Returns the question that the call waits for now, or `undefined`. */
export function pendingWait({ waits }: CallRecord): Wait | undefined {
  const last = waits?.at(-1);
  return last?.answer ? undefined : last?.wait;
}

/**
 * The call is suspended until it is answered, and then begins anew. One that asked while it ran `once` never does: whoever
 * would have heard the answer is gone.
 */
export const isSuspended = (call: CallRecord): boolean =>
  !call.ended && call.started !== 'once' && pendingWait(call) !== undefined;

/**
 * Returns the result that an open call has already: sent by the caller who ran its tool, or left behind by an invocation that lost the
 * turn. It happened, however the call ends.
 */
export function knownResult({ waits, late }: CallRecord): ToolResult | undefined {
  const sent = waits?.flatMap(({ answer }) => (answer?.type === 'result' ? answer.result : [])).at(0);
  const known = late ?? sent;
  return known && toolResult(known);
}

/** It was started, has opened its loop, or was run by the caller: it goes on, and is not begun. */
export const hasBegun = ({ frames }: Pick<TurnState, 'frames'>, call: CallRecord): boolean =>
  call.started !== undefined ||
  frames.has(call.id) ||
  ((call.late ?? call.waits) !== undefined && knownResult(call) !== undefined);

/** Names one wait of one call in the whole session. */
export const waitId = (call: string, index: number): string => `${call}#${index}`;

/** The reply whose calls have not all ended. */
export function openBatch(frame: Pick<FrameState, 'messages'> | undefined): readonly CallRecord[] {
  const calls = lastReply(frame?.messages ?? [])?.calls ?? [];
  return calls.some((call) => !call.ended) ? calls : [];
}

/** Finds an open call of a turn, in whichever of its loops; `undefined` if there is none of this id. */
export function findOpenCall(
  { frames }: Pick<TurnState, 'frames'>,
  id: string,
): { readonly frame: FrameState; readonly call: CallRecord } | undefined {
  for (const frame of frames.values()) {
    const call = openBatch(frame).find((one) => one.id === id && !one.ended);
    if (call) return { frame, call };
  }
  return undefined;
}

/** The reply that the conversation ends with, whatever was said to it while its calls ran or since. */
export function lastReply(messages: readonly Message[]): Reply | undefined {
  const last = messages.findLast((message) => message.role === 'assistant' || !isInterjection(message));
  return last?.role === 'assistant' ? last : undefined;
}

/** The calls of the last reply. */
export const lastBatch = (messages: readonly Message[]): readonly CallRecord[] =>
  lastReply(messages)?.calls ?? [];

/** The last message is one that came while the model answered, or its calls ran. */
export function isInterjected(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && isInterjection(last);
}

/** No words, no calls and no file: what a model only thought is no reply. */
export const saysNothing = ({ text, calls, parts = [] }: SaidPart): boolean =>
  calls.length === 0 &&
  text.trim() === '' &&
  !parts.some((part) => part.type === 'file' && !part.ofReasoning);

interface SaidPart {
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly parts?: readonly { readonly type: string; readonly ofReasoning?: true | undefined }[] | undefined;
}

const isInterjection = ({ by }: Said): boolean => by === 'steer' || by === 'late';

type Reply = Extract<Message, { role: 'assistant' }>;
type Said = Extract<Message, { role: 'user' }>;

/**
 * Answers what a frame's last reply says: the results of the calls that it returned directly, in order, or its words.
 */
export function answerText(messages: readonly Message[]): string {
  const last = lastReply(messages);
  if (!last) return '';
  const direct = last.calls.flatMap(({ ended }) => (ended?.direct ? modelText(ended.result) : []));
  return direct.length > 0 ? direct.join('\n') : last.text;
}

/**
 * Returns the ends of all calls that are left open, innermost frames first, so that no call of the history is without an answer: those of a
 * turn, or those inside the loop that the call `inside` has opened. The invocation that ends the turn or the call journals them; of a
 * turn that was ended unread, the fold does without the events.
 */
export function closeOpenCalls(
  turn: TurnState,
  outcome: FinalOutcome,
  inside?: string,
): EventOf<'tool-call-ended'>[] {
  const frames = inside === undefined ? [...turn.frames.values()] : framesInside(turn, inside);
  return frames.reverse().flatMap((frame) =>
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

/** Returns the open loops of a call: its own and all inside it, outermost first. */
export const framesInside = (turn: TurnState, call: string): FrameState[] =>
  [...turn.frames.values()].filter((frame) => framesAround(turn, frame).some(({ id }) => id === call));

/** Tells whether a person has decided that an open call ends the turn. */
export const isExit = ({ ended, waits }: CallRecord): boolean => {
  const answer = waits?.at(-1)?.answer;
  return !ended && answer?.type === 'decision' && answer.decision === 'exit';
};

/** Returns the `exit` of a call inside the loop that a call has opened, which ends the turn however that call ends. */
export function exitInside(turn: TurnState, call: string): Signal | undefined {
  const calls = framesInside(turn, call).flatMap(({ messages }) => lastBatch(messages));
  const sent = calls.flatMap(({ ended }) => ended?.result.signal ?? []).find(({ type }) => type === 'exit');
  const decided = calls.find(isExit);
  return sent ?? (decided && { type: 'exit', reason: exitReason(decided) });
}

function exitReason({ name, waits }: CallRecord): string {
  const answer = waits?.at(-1)?.answer;
  const reason = answer?.type === 'decision' ? answer.reason : undefined;
  return reason ?? `A reviewer ended the turn at the call of '${name}'.`;
}

function closing(turn: TurnState, call: CallRecord, outcome: FinalOutcome): ToolResult {
  const known = knownResult(call);
  if (known) return known;
  const isCancelled = outcome === 'cancelled';
  if (isCancelled && call.started === 'idempotent') return cancelledRunning(call.name);
  // What a nested loop has done is nowhere in the conversation around it.
  if (mayHaveHappened(call) || turn.frames.has(call.id)) return unknownOutcome(call.name);
  const last = call.waits?.at(-1)?.answer;
  if (last?.type === 'decision' && (last.decision === 'reject' || last.decision === 'exit'))
    return declined(call.name, last);
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
