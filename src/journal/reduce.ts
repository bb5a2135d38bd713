import type { JsonObject } from '../tools/json.ts';
import { modelText } from '../tools/tool-result.ts';
import { countCalls, placed } from './count-calls.ts';
import { EVENT_VERSION, type Outcome, ROOT, type SessionEvent } from './events.ts';
import { foldCompaction } from './fold-compaction.ts';
import { applyFacts, openFrame, startTurn } from './open-loop.ts';
import { rejectionText } from './rejection-text.ts';
import { foldAsked, foldRefused, foldUsed } from './spending.ts';
import {
  answerText,
  type CallRecord,
  type FrameState,
  lastReply,
  type Message,
  type SessionState,
  type StateSlice,
  type TurnState,
} from './state.ts';
import { summaryMessage } from './summary-message.ts';

/**
 * Stamps snapshots: one that another reducer made is ignored and the journal folded. So is one of events as another version
 * reads them: they are upgraded before they are folded, or are newer than this code.
 */
export const REDUCER_VERSION = 1_000 * EVENT_VERSION + 4;

/**
 * Folds one event into a state that only the caller holds, and mutates it. Pure otherwise: no clock, no chance, so
 * that a warm state and one folded from the journal are equal. Amortised O(1).
 */
export function reduce(
  state: SessionState,
  seq: number,
  event: SessionEvent,
  slices: readonly StateSlice[] = [],
): SessionState {
  state.seq = seq;
  foldMessage(state.messages, event, state.turn);
  foldCore(state, event, slices);
  for (const slice of slices) {
    const value = state.slices.get(slice.name) ?? slice.initial;
    const next = slice.reduce ? slice.reduce(value, state, event) : value;
    state.slices.set(slice.name, next);
  }
  if (event.type === 'model-replied') seeSlices(state, event);
  return state;
}

/** The calls of a reply see the slices as they are once it is folded. */
function seeSlices({ turn, slices }: SessionState, { frame: id = ROOT }: Replied): void {
  const frame = turn?.frames.get(id);
  if (frame) frame.seen = { ...frame.seen, slices: new Map(slices) };
}

/** Folds what the conversation keeps of an event. Enough by itself for what a snapshot covers. */
export function foldMessage(messages: Message[], event: SessionEvent, turn?: TurnState): void {
  if ('frame' in event) return;
  switch (event.type) {
    case 'turn-started':
      messages.push({ role: 'user', text: event.message });
      break;
    case 'model-replied':
      messages.splice(messages.length - (event.unseen ?? 0), 0, assistantMessage(event, turn));
      break;
    case 'tool-call-ended':
      endCall(messages, event);
      break;
    case 'answer-rejected':
      messages.push(rejection(event));
      break;
    case 'turn-steered':
      messages.push({ role: 'user', text: event.message, by: 'steer' });
      break;
    case 'late-result-received':
      messages.push({ role: 'user', text: lateText(event), by: 'late' });
      break;
    case 'conversation-compacted':
      messages.splice(0, event.messages, summaryMessage(event.summary));
      break;
  }
}

const lateText = ({ tool, result }: Late): string =>
  `The call of '${tool}' whose outcome was unknown has answered after all: ${modelText(result)}`;

const rejection = ({ problems }: Rejected): Message => ({
  role: 'user',
  text: rejectionText(problems),
  by: 'loop',
});

function foldCore(state: SessionState, event: SessionEvent, slices: readonly StateSlice[]): void {
  if (event.type === 'session-opened') {
    state.incarnation = event.incarnation;
    state.agent = event.agent;
    return;
  }
  if (event.type === 'turn-started') {
    state.turn = startTurn(state, event);
    return;
  }
  const turn = state.turn;
  if (!turn || turn.id !== event.turn) return;
  if (event.type !== 'turn-resumed') turn.lastEvent = describe(event);
  switch (event.type) {
    case 'turn-resumed':
      // Who gives a turn back that waits has not asked the model since its last reply.
      if (event.cause === 'expired' || turn.lastEvent === 'turn-yielded') turn.resumedSinceReply += 1;
      break;
    case 'frame-started':
      openFrame(state, turn, event, slices);
      break;
    case 'model-asked':
      foldAsked(turn, event);
      break;
    case 'model-refused':
      foldRefused(turn, event);
      break;
    case 'model-replied':
      foldReply(state, turn, event);
      break;
    case 'tool-call-started': {
      const call = findCall(turn, event.frame, event.call);
      if (call) call.started = event.effect;
      break;
    }
    case 'tool-call-suspended':
      foldSuspended(turn, event);
      break;
    case 'tool-call-answered': {
      const last = findCall(turn, event.frame, event.call)?.waits?.at(-1);
      if (last) last.answer = event.answer;
      break;
    }
    case 'tool-call-ended':
      foldEnd(state, turn, event, slices);
      break;
    case 'answer-rejected':
      foldRejection(turn, event);
      break;
    case 'cancel-requested':
      turn.cancelRequested = true;
      break;
    case 'conversation-compacted':
      foldCompaction(state, turn, event);
      break;
    case 'message-sent':
    case 'turn-yielded':
    case 'turn-steered':
    case 'late-result-received':
      break;
    case 'turn-ended':
      foldTurnEnd(state, turn, event);
      break;
  }
}

const describe = (event: SessionEvent): string =>
  'call' in event ? `${event.type} ${event.call}` : event.type;

type Replied = Extract<SessionEvent, { type: 'model-replied' }>;
type Ended = Extract<SessionEvent, { type: 'tool-call-ended' }>;
type Rejected = Extract<SessionEvent, { type: 'answer-rejected' }>;
type Suspended = Extract<SessionEvent, { type: 'tool-call-suspended' }>;
type Late = Extract<SessionEvent, { type: 'late-result-received' }>;
type TurnEnded = Extract<SessionEvent, { type: 'turn-ended' }>;

function foldSuspended(turn: TurnState, { frame, call: id, wait }: Suspended): void {
  const call = findCall(turn, frame, id);
  // Code of a call that has ended may still ask, and nobody waits for it.
  if (call && !call.ended) call.waits = [...(call.waits ?? []), { wait }];
}

function foldTurnEnd({ messages }: SessionState, turn: TurnState, event: TurnEnded): void {
  const { outcome, error, signal, object, text } = event;
  turn.outcome = outcome;
  turn.error = error;
  turn.signal = signal;
  turn.object = object;
  turn.text = ANSWERED.includes(outcome) && !signal ? (text ?? answerText(messages)) : '';
  turn.frames.clear();
}

/** Outcomes that come with an answer. */
const ANSWERED: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

const assistantMessage = (event: Replied, turn?: TurnState): Message => ({
  role: 'assistant',
  text: event.text,
  calls: placed(event.toolCalls, turn, event.frame ?? ROOT),
  last: event.last ?? false,
});

function foldReply(state: SessionState, turn: TurnState, event: Replied): void {
  const frame = turn.frames.get(event.frame ?? ROOT);
  if (!frame) return;
  if (frame.id !== ROOT) frame.messages.push(assistantMessage(event, turn));
  frame.seen = {
    cells: state.cells.get(frame.path) ?? {},
    entries: frame.blackboard.length,
    slices: frame.seen.slices,
  };
  frame.planned = event.planned ?? false;
  frame.iterations += 1;
  frame.blankReplies = isBlank(event) ? frame.blankReplies + 1 : 0;
  if (!event.planned) {
    turn.iterations += 1;
    turn.model = event.model;
  }
  countCalls(event.toolCalls, turn, frame);
  if (frame.id === ROOT) turn.limited ||= event.last ?? false;
  turn.resumedSinceReply = 0;
  foldUsed(state, turn, frame, event);
}

function foldRejection(turn: TurnState, event: Rejected): void {
  const frame = turn.frames.get(event.frame ?? ROOT);
  if (!frame) return;
  frame.rejected = true;
  if (frame.id !== ROOT) frame.messages.push(rejection(event));
}

/** No text and no calls (EMP-01). */
export const isBlank = (reply: { readonly text: string; readonly toolCalls: readonly unknown[] }): boolean =>
  reply.toolCalls.length === 0 && reply.text.trim() === '';

function foldEnd(state: SessionState, turn: TurnState, event: Ended, slices: readonly StateSlice[]): void {
  const frame = turn.frames.get(event.frame ?? ROOT);
  if (!frame) return;
  if (frame.id !== ROOT) endCall(frame.messages, event, turn.frames.get(event.call));
  const batch = lastBatch(frame.messages);
  turn.frames.delete(event.call);
  const { call, result, changes } = event;
  turn.scheduled += changes?.scheduled?.length ?? 0;
  const place = { turn: turn.id, frame: frame.id, path: frame.path, call, result };
  applyFacts(state, slices.filter(isImmediate), changes?.facts, place);
  if (batch.every(({ ended }) => ended)) settleBatch({ state, turn, frame, slices }, batch);
}

interface Settling {
  readonly state: SessionState;
  readonly turn: TurnState;
  readonly frame: FrameState;
  readonly slices: readonly StateSlice[];
}

/** When the last call of a batch has ended, their changes take effect in source order, whatever order they ended in. */
function settleBatch({ state, turn, frame, slices }: Settling, batch: readonly CallRecord[]): void {
  const settled = slices.filter((slice) => !isImmediate(slice));
  for (const call of batch) {
    const { result, changes } = call.ended ?? {};
    const reason = result?.type === 'error' ? result.reason : undefined;
    frame.unknownTools = reason === 'unknown-tool' ? frame.unknownTools + 1 : 0;
    turn.limited ||= reason === 'limit';
    if (frame.id === ROOT && result?.type === 'artifact') {
      const type = result.artifactType === undefined ? {} : { type: result.artifactType };
      turn.artifacts.push({ call: call.id, tool: call.name, ...type, value: result.value });
    }
    if (!changes) continue;
    const { path } = frame;
    if (changes.state) state.cells.set(path, mergeCells(state.cells.get(path), changes.state));
    if (changes.blackboard) frame.blackboard.push(...changes.blackboard);
    applyFacts(state, settled, changes.facts, {
      turn: turn.id,
      frame: frame.id,
      path,
      call: call.id,
      result,
    });
  }
}

const isImmediate = ({ immediate = false }: StateSlice): boolean => immediate;

/** The cells with a call's writes on top; a hostile key such as `__proto__` stays an own property. */
export const mergeCells = (cells: JsonObject | undefined, writes: JsonObject): JsonObject =>
  Object.fromEntries([...Object.entries(cells ?? {}), ...Object.entries(writes)]);

const lastBatch = (messages: readonly Message[]): readonly CallRecord[] => lastReply(messages)?.calls ?? [];

const findCall = (turn: TurnState, frame: string | undefined, id: string): CallRecord | undefined =>
  lastBatch(turn.frames.get(frame ?? ROOT)?.messages ?? []).find((call) => call.id === id);

function endCall(messages: readonly Message[], event: Ended, opened?: FrameState): void {
  const call = lastBatch(messages).find(({ id }) => id === event.call);
  if (!call || call.ended) return;
  delete call.places;
  delete call.started;
  delete call.waits;
  call.ended = {
    result: event.result,
    direct: event.direct ?? false,
    changes: event.changes,
    ...(opened && !opened.planned && { nested: true }),
  };
}
