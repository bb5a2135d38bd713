import type { JsonObject } from '../tools/json.ts';
import { closeOpenCalls } from './close-turn.ts';
import { countCalls } from './count-calls.ts';
import { EVENT_VERSION, type FinalOutcome, type Outcome, ROOT, type SessionEvent } from './events.ts';
import { foldCompaction, foldDropped, foldLessShown } from './fold-compaction.ts';
import { assistantMessage, endCall, foldMessage, lastBatch, rejection } from './fold-message.ts';
import { applyFacts, tellMemories } from './memories.ts';
import { openFrame, startTurn } from './open-loop.ts';
import { foldAsked, foldRefused, foldUsed } from './spending.ts';
import {
  answerText,
  type CallRecord,
  type FrameState,
  type SessionState,
  type StateSlice,
  type TurnState,
} from './state.ts';

/**
 * Stamps snapshots: one that another reducer made is ignored and the journal folded. So is one of events as
 * another version reads them: they are upgraded before they are folded, or are newer than this code.
 */
export const REDUCER_VERSION = 1_000 * EVENT_VERSION + 7;

/**
 * Folds one event into a state that only the caller holds, and mutates it. Pure otherwise: no clock, no
 * chance, so that a warm state and one folded from the journal are equal. Amortised O(1).
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
  tellMemories({ state, slices }, event);
  if (event.type === 'model-replied') seeSlices(state, event);
  return state;
}

/** The calls of a reply see the slices as they are once it is folded. */
function seeSlices({ turn, slices }: SessionState, { frame: id = ROOT }: Replied): void {
  const frame = turn?.frames.get(id);
  if (frame) frame.seen = { ...frame.seen, slices: new Map(slices) };
}

function foldCore(state: SessionState, event: SessionEvent, slices: readonly StateSlice[]): void {
  if (event.type === 'session-opened') {
    state.incarnation = event.incarnation;
    state.agent = event.agent;
    return;
  }
  if (event.type === 'turn-started') {
    state.starts.push(state.seq);
    state.turn = startTurn(state, event);
    return;
  }
  const turn = state.turn;
  if (!turn || turn.id !== event.turn) return;
  if (event.type !== 'turn-resumed') turn.lastEvent = describe(event);
  if (PROGRESS.includes(event.type)) turn.resumedIdly = 0;
  switch (event.type) {
    case 'turn-resumed':
      // Who gives a turn back that waits has not asked the model since its last reply.
      if (event.cause === 'expired' || turn.lastEvent === 'turn-yielded') {
        turn.resumedSinceReply += 1;
        turn.resumedIdly += 1;
      }
      break;
    case 'frame-started':
      holdFacts(findCall(turn, event.parent, event.frame), event);
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
      const { effect } = event;
      // Tools in plain JavaScript have had other words for it, such as 'Once': a call of theirs is not run again.
      if (call) call.started = effect === 'read' || effect === 'idempotent' ? effect : 'once';
      holdFacts(call, event);
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
    case 'late-result-received':
      state.toldLate.push(event.call);
      break;
    case 'conversation-compacted':
      foldCompaction(state, turn, event);
      break;
    case 'summary-dropped':
      foldDropped(state, turn, event);
      break;
    case 'conversation-shortened':
      foldLessShown(state, turn, event);
      break;
    case 'tools-listed':
      foldListed(state, turn, event, slices);
      break;
    case 'message-sent':
    case 'turn-yielded':
    case 'turn-steered':
      break;
    case 'turn-ended':
      foldTurnEnd(state, turn, event, slices);
      break;
  }
}

/** What an invocation that ends is not in vain for. */
const PROGRESS: readonly SessionEvent['type'][] = [
  'model-replied',
  'tool-call-ended',
  'tool-call-answered',
  'frame-started',
  'tools-listed',
  'conversation-compacted',
  'conversation-shortened',
];

const describe = (event: SessionEvent): string =>
  'call' in event ? `${event.type} ${event.call}` : event.type;

type Begun = Extract<SessionEvent, { type: 'tool-call-started' | 'frame-started' }>;
type Replied = Extract<SessionEvent, { type: 'model-replied' }>;
type Ended = Extract<SessionEvent, { type: 'tool-call-ended' }>;
type Rejected = Extract<SessionEvent, { type: 'answer-rejected' }>;
type Suspended = Extract<SessionEvent, { type: 'tool-call-suspended' }>;
type Listed = Extract<SessionEvent, { type: 'tools-listed' }>;
type TurnEnded = Extract<SessionEvent, { type: 'turn-ended' }>;

function foldListed(
  state: SessionState,
  turn: TurnState,
  { frame: id = ROOT, facts }: Listed,
  slices: readonly StateSlice[],
): void {
  const frame = turn.frames.get(id);
  if (frame) applyFacts({ state, slices }, facts, { turn: turn.id, frame: id, path: frame.path, call: id });
}

function foldSuspended(turn: TurnState, { frame, call: id, wait }: Suspended): void {
  const call = findCall(turn, frame, id);
  // Code of a call that has ended may still ask, and nobody waits for it.
  if (call && !call.ended) call.waits = [...(call.waits ?? []), { wait }];
}

function foldTurnEnd(
  state: SessionState,
  turn: TurnState,
  event: TurnEnded,
  slices: readonly StateSlice[],
): void {
  const { outcome, error, signal, object, text } = event;
  closeUnread(state, turn, outcome, slices);
  turn.outcome = outcome;
  turn.error = error;
  turn.signal = signal;
  turn.object = object;
  turn.text = ANSWERED.includes(outcome) && !signal ? (text ?? answerText(state.messages)) : '';
  turn.frames.clear();
}

/** Whoever ended the turn could not read it: its calls are ended as its holder would have ended them. */
function closeUnread(
  state: SessionState,
  turn: TurnState,
  outcome: FinalOutcome,
  slices: readonly StateSlice[],
): void {
  for (const end of closeOpenCalls(turn, outcome)) {
    foldMessage(state.messages, end, turn);
    foldEnd(state, turn, end, slices);
    if (end.frame === undefined) state.closedUnread.set(end.call, end.result);
  }
  // What these ends changed is in no row, so a state that is read from a snapshot does not have it in its messages.
  for (const call of lastBatch(state.messages)) {
    if (call.ended && state.closedUnread.has(call.id)) call.ended = { ...call.ended, changes: undefined };
  }
}

/** Facts for the end of a call, which whoever ends it may tell anew. */
function holdFacts(call: CallRecord | undefined, { atEnd }: Pick<Begun, 'atEnd'>): void {
  if (call && !call.ended && atEnd) call.atEnd = atEnd;
}

/** Outcomes that come with an answer. */
export const ANSWERED: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

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
  frame.shortened = false;
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
  applyFacts({ state, slices: slices.filter(isImmediate) }, changes?.facts, place);
  if (batch.every(({ ended }) => ended)) settleBatch({ state, turn, frame, slices }, batch);
}

interface Settling {
  readonly state: SessionState;
  readonly turn: TurnState;
  readonly frame: FrameState;
  readonly slices: readonly StateSlice[];
}

/**
 * When the last call of a batch has ended, their changes take effect in source order, whatever order they
 * ended in.
 */
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
    applyFacts({ state, slices: settled }, changes.facts, {
      turn: turn.id,
      frame: frame.id,
      path,
      call: call.id,
      result,
    });
  }
}

const isImmediate = ({ when }: StateSlice): boolean => when === 'call';

/** The cells with a call's writes on top; a hostile key such as `__proto__` stays an own property. */
export const mergeCells = (cells: JsonObject | undefined, writes: JsonObject): JsonObject =>
  Object.fromEntries([...Object.entries(cells ?? {}), ...Object.entries(writes)]);

const findCall = (turn: TurnState, frame: string | undefined, id: string): CallRecord | undefined =>
  lastBatch(turn.frames.get(frame ?? ROOT)?.messages ?? []).find((call) => call.id === id);
