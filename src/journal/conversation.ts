import type { Decision } from '../tool/call.ts';
import {
  createFailureResult,
  createToolResult,
  getModelText,
  type Signal,
  type ToolResult,
} from '../tool/tool-result.ts';
import type { EventOf, FinalOutcome } from './events.ts';
import { listOuterFrames } from './spending.ts';
import { type CallRecord, type FrameState, type Message, type TurnState, toFrameField } from './state.ts';
import type { Wait } from './wait.ts';

/** Returns whether a message started a turn or a nested loop. */
export const isStart = (message: Message): boolean => message.role === 'user' && message.by === undefined;

/** Returns whether the call may have had an observable effect, which a second run would repeat. */
export const mayHaveHappened = ({ started }: CallRecord): boolean =>
  started === 'once' || started === 'idempotent';

/** Returns the id of a call: its turn, the sequence number of its reply, and its index in that reply. */
export const createCallId = (turn: string, reply: number, index: number): string =>
  `${turn}.${reply}.${index}`;

/** Returns the call's open question, or `undefined`. */
export function findPendingWait({ waits }: CallRecord): Wait | undefined {
  const last = waits?.at(-1);
  return last?.answer ? undefined : last?.wait;
}

/**
 * Returns whether the call is suspended until it is answered, and then restarts. A `once` call that asked
 * while it ran never restarts, since its code can no longer receive the answer.
 */
export const isSuspended = (call: CallRecord): boolean =>
  !call.ended && call.started !== 'once' && findPendingWait(call) !== undefined;

/**
 * Returns the result that an open call already has: from the caller who ran its tool, or from an invocation
 * that lost the turn. It counts regardless of how the call ends.
 */
export function findKnownResult({ waits, late }: CallRecord): ToolResult | undefined {
  const sent = waits?.flatMap(({ answer }) => (answer?.type === 'result' ? answer.result : [])).at(0);
  const known = late ?? sent;
  return known && createToolResult(known);
}

/**
 * Returns whether a call resumes instead of starting: it was started, it opened its loop, or the caller ran
 * it.
 */
export const hasBegun = ({ frames }: Pick<TurnState, 'frames'>, call: CallRecord): boolean =>
  call.started !== undefined ||
  frames.has(call.id) ||
  ((call.late ?? call.waits) !== undefined && findKnownResult(call) !== undefined);

/** Returns the id of one wait of a call, unique in the session. */
export const createWaitId = (call: string, index: number): string => `${call}#${index}`;

/** Returns the calls of the last reply if any of them is open, and otherwise an empty array. */
export function openBatch(frame: Pick<FrameState, 'messages'> | undefined): readonly CallRecord[] {
  const calls = findLastReply(frame?.messages ?? [])?.calls ?? [];
  return calls.some((call) => !call.ended) ? calls : [];
}

/** Finds an open call of a turn in any of its loops. Returns `undefined` if there is none with this id. */
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

/**
 * Returns the last reply of the conversation, ignoring messages that arrived while its calls ran or later.
 */
export function findLastReply(messages: readonly Message[]): Reply | undefined {
  const last = messages.findLast((message) => message.role === 'assistant' || !isInterjection(message));
  return last?.role === 'assistant' ? last : undefined;
}

/** Returns the calls of the last reply. */
export const getLastBatch = (messages: readonly Message[]): readonly CallRecord[] =>
  findLastReply(messages)?.calls ?? [];

/** Returns whether the last message arrived while the model replied or its calls ran. */
export function endsWithInterjection(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && isInterjection(last);
}

/** Returns whether a reply is blank: no text, calls or files. Reasoning alone does not count. */
export const isBlank = ({ text, calls, parts = [] }: ReplyContent): boolean =>
  calls.length === 0 &&
  text.trim() === '' &&
  !parts.some((part) => part.type === 'file' && !part.ofReasoning);

interface ReplyContent {
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly parts?: readonly { readonly type: string; readonly ofReasoning?: true | undefined }[] | undefined;
}

const isInterjection = ({ by }: UserMessage): boolean => by === 'steer' || by === 'late';

type Reply = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;

/**
 * Returns the answer of a loop: the results that its last reply's calls returned directly, in order, or else
 * that reply's text.
 */
export function getAnswerText(messages: readonly Message[]): string {
  const last = findLastReply(messages);
  if (!last) return '';
  const direct = last.calls.flatMap(({ ended }) => (ended?.direct ? getModelText(ended.result) : []));
  return direct.length > 0 ? direct.join('\n') : last.text;
}

/**
 * Returns the ends of all open calls, innermost frames first, so that every call has a result. Covers all
 * calls of the turn, or with `inside`, those in the loop that this call opened. The invocation that ends the
 * turn or the call journals them. If a turn was ended unread, the fold adds them without events.
 */
export function closeOpenCalls(
  turn: TurnState,
  outcome: FinalOutcome,
  inside?: string,
): EventOf<'tool-call-ended'>[] {
  const frames = inside === undefined ? [...turn.frames.values()] : listInnerFrames(turn, inside);
  return frames.reverse().flatMap((frame) =>
    openBatch(frame)
      .filter((call) => !call.ended)
      .map((call) => ({
        type: 'tool-call-ended',
        turn: turn.id,
        ...toFrameField(frame.id),
        call: call.id,
        result: createClosingResult(turn, call, outcome),
        ...(call.atEnd && { changes: { facts: call.atEnd } }),
      })),
  );
}

/** Returns the open loops of a call: its own and all inside it, outermost first. */
export const listInnerFrames = (turn: TurnState, call: string): FrameState[] =>
  [...turn.frames.values()].filter((frame) => listOuterFrames(turn, frame).some(({ id }) => id === call));

/** Returns whether a person decided that an open call ends the turn. */
export const isExit = ({ ended, waits }: CallRecord): boolean => {
  const answer = waits?.at(-1)?.answer;
  return !ended && answer?.type === 'decision' && answer.decision === 'exit';
};

/**
 * Returns the `exit` signal of a call inside the loop that a call opened. It ends the turn regardless of how
 * that call ends.
 */
export function findExitInside(turn: TurnState, call: string): Signal | undefined {
  const calls = listInnerFrames(turn, call).flatMap(({ messages }) => getLastBatch(messages));
  const sent = calls.flatMap(({ ended }) => ended?.result.signal ?? []).find(({ type }) => type === 'exit');
  const decided = calls.find(isExit);
  return sent ?? (decided && { type: 'exit', reason: getExitReason(decided) });
}

function getExitReason({ name, waits }: CallRecord): string {
  const answer = waits?.at(-1)?.answer;
  const reason = answer?.type === 'decision' ? answer.reason : undefined;
  return reason ?? `A reviewer ended the turn at the call of '${name}'.`;
}

function createClosingResult(turn: TurnState, call: CallRecord, outcome: FinalOutcome): ToolResult {
  const known = findKnownResult(call);
  if (known) return known;
  const isCancelled = outcome === 'cancelled';
  if (isCancelled && call.started === 'idempotent') return createCancelledRunningResult(call.name);
  // The outer conversation does not show the effects of a nested loop.
  if (mayHaveHappened(call) || turn.frames.has(call.id)) return createUnknownOutcomeResult(call.name);
  const last = call.waits?.at(-1)?.answer;
  if (last?.type === 'decision' && (last.decision === 'reject' || last.decision === 'exit'))
    return createDeclinedResult(call.name, last);
  const why = isCancelled ? 'was cancelled before it ran' : 'was not run';
  return createFailureResult(
    'cancelled',
    `The call of '${call.name}' ${call.started ? 'was cut short' : why}.`,
  );
}

const createDeclinedResult = (tool: string, { reason }: Decision): ToolResult =>
  createFailureResult(
    'declined',
    `This call of '${tool}' was declined and did not run.${reason ? ` Reason: ${reason}` : ''}`,
  );

/** Returns the result of a call that may or may not have run. It does not claim that the call failed. */
export const createUnknownOutcomeResult = (tool: string): ToolResult =>
  createFailureResult(
    'unknown-outcome',
    `The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
      'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
  );

/** Returns the result of a running call that was cancelled and can be repeated under its key. */
export const createCancelledRunningResult = (tool: string): ToolResult =>
  createFailureResult(
    'cancelled',
    `The call of '${tool}' was cancelled while it ran. It may have taken effect.`,
  );
