import type { JsonObject } from '../tools/json.ts';
import type { FactPlace, SliceFact } from '../tools/slice.ts';
import { type Outcome, ROOT, type SessionEvent } from './events.ts';
import { rejectionText } from './rejection-text.ts';
import {
  answerText,
  type CallRecord,
  type FrameState,
  type Message,
  type SessionState,
  type StateSlice,
  type TurnState,
} from './state.ts';

/** Stamps snapshots: one that another reducer made is ignored and the journal folded. */
export const REDUCER_VERSION = 2;

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
  return state;
}

/** The facts of one call, by the slices that they are for. Those of a kind that this code does not know are kept by nobody. */
function applyFacts(
  state: SessionState,
  slices: readonly StateSlice[],
  facts: readonly SliceFact[] | undefined,
  place: FactPlace,
): void {
  for (const { slice: name, fact } of facts ?? []) {
    const slice = slices.find((one) => one.name === name);
    if (!slice?.apply) continue;
    state.slices.set(name, slice.apply(state.slices.get(name) ?? slice.initial, fact, place));
  }
}

/** Folds what the conversation keeps of an event. Enough by itself for what a snapshot covers. */
export function foldMessage(messages: Message[], event: SessionEvent, turn?: TurnState): void {
  if ('frame' in event) return;
  switch (event.type) {
    case 'turn-started':
      messages.push({ role: 'user', text: event.message });
      break;
    case 'model-replied':
      messages.push(assistantMessage(event, turn));
      break;
    case 'tool-call-ended':
      endCall(messages, event);
      break;
    case 'answer-rejected':
      messages.push({ role: 'user', text: rejectionText(event.problems), by: 'loop' });
      break;
  }
}

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
    case 'model-replied':
      foldReply(state, turn, event);
      break;
    case 'tool-call-started': {
      const call = findCall(turn, event.frame, event.call);
      if (call) call.started = event.effect;
      break;
    }
    case 'tool-call-suspended': {
      const call = findCall(turn, event.frame, event.call);
      // Code of a call that has ended may still ask, and nobody waits for it.
      if (call && !call.ended) call.waits = [...(call.waits ?? []), { wait: event.wait }];
      break;
    }
    case 'tool-call-answered': {
      const last = findCall(turn, event.frame, event.call)?.waits?.at(-1);
      if (last) last.answer = event.answer;
      break;
    }
    case 'tool-call-ended':
      foldEnd(state, turn, event, slices);
      break;
    case 'answer-rejected':
      turn.rejected = true;
      break;
    case 'cancel-requested':
      turn.cancelRequested = true;
      break;
    case 'message-sent':
    case 'turn-yielded':
      break;
    case 'turn-ended':
      turn.outcome = event.outcome;
      turn.error = event.error;
      turn.signal = event.signal;
      turn.object = event.object;
      turn.text =
        ANSWERED.includes(event.outcome) && !event.signal ? (event.text ?? answerText(state.messages)) : '';
      turn.frames.clear();
      break;
  }
}

const describe = (event: SessionEvent): string =>
  'call' in event ? `${event.type} ${event.call}` : event.type;

/** Outcomes that come with an answer. */
const ANSWERED: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

type Started = Extract<SessionEvent, { type: 'turn-started' }>;
type Replied = Extract<SessionEvent, { type: 'model-replied' }>;
type Ended = Extract<SessionEvent, { type: 'tool-call-ended' }>;
type FrameStarted = Extract<SessionEvent, { type: 'frame-started' }>;

function startTurn(state: SessionState, event: Started): TurnState {
  const { agent: path, messages, blackboard } = state;
  const root: FrameState = { ...newLoop, id: ROOT, path, messages, blackboard };
  return {
    id: event.turn,
    loopId: event.loopId,
    context: event.context,
    principal: event.principal,
    frames: new Map([[ROOT, root]]),
    artifacts: [],
    callsByTool: new Map(),
    usage: { inputTokens: 0, outputTokens: 0 },
    model: undefined,
    iterations: 0,
    toolCalls: 0,
    limited: false,
    rejected: false,
    cancelRequested: false,
    resumedSinceReply: 0,
    lastEvent: event.type,
    text: '',
    outcome: undefined,
    error: undefined,
    signal: undefined,
    object: undefined,
  };
}

const newLoop = {
  seen: { cells: {}, entries: 0, slices: new Map() },
  planned: false,
  iterations: 0,
  blankReplies: 0,
  unknownTools: 0,
};

function openFrame(
  state: SessionState,
  turn: TurnState,
  event: FrameStarted,
  slices: readonly StateSlice[],
): void {
  const { frame: id, facts } = event;
  const parent = turn.frames.get(event.parent ?? ROOT);
  const path = parent ? `${parent.path}/${event.name}` : event.name;
  const messages: Message[] = [{ role: 'user', text: event.message }];
  const around = parent?.blackboard ?? state.blackboard;
  // What the call could see, and no more: what others have added since is not before it.
  const own = event.ownBlackboard && around.slice(0, parent?.seen.entries);
  const board = own ? { blackboard: own, inherited: own.length } : { blackboard: around };
  turn.frames.set(id, { ...newLoop, ...board, id, path, messages });
  applyFacts(state, slices, facts, { turn: turn.id, frame: id, path, call: id });
}

function assistantMessage(event: Replied, turn?: TurnState): Message {
  let inTurn = turn?.toolCalls ?? 0;
  const perTool = new Map<string, number>();
  const calls = event.toolCalls.map((call): CallRecord => {
    inTurn += 1;
    const ofTool = (perTool.get(call.name) ?? turn?.callsByTool.get(call.name) ?? 0) + 1;
    perTool.set(call.name, ofTool);
    return { ...call, place: { inTurn, ofTool } };
  });
  return { role: 'assistant', text: event.text, calls, last: event.last ?? false };
}

function foldReply(state: SessionState, turn: TurnState, event: Replied): void {
  const frame = turn.frames.get(event.frame ?? ROOT);
  if (!frame) return;
  if (frame.id !== ROOT) frame.messages.push(assistantMessage(event, turn));
  frame.seen = {
    cells: state.cells.get(frame.path) ?? {},
    entries: frame.blackboard.length,
    slices: new Map(state.slices),
  };
  frame.planned = event.planned ?? false;
  frame.iterations += 1;
  frame.blankReplies = isBlank(event) ? frame.blankReplies + 1 : 0;
  if (!event.planned) {
    turn.iterations += 1;
    turn.model = event.model;
  }
  turn.toolCalls += event.toolCalls.length;
  for (const call of event.toolCalls) {
    turn.callsByTool.set(call.name, (turn.callsByTool.get(call.name) ?? 0) + 1);
  }
  if (frame.id === ROOT) turn.limited ||= event.last ?? false;
  turn.resumedSinceReply = 0;
  for (const total of [turn.usage, state.usage]) {
    total.inputTokens += event.usage?.inputTokens ?? 0;
    total.outputTokens += event.usage?.outputTokens ?? 0;
  }
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
    applyFacts(state, slices, changes.facts, { turn: turn.id, frame: frame.id, path, call: call.id, result });
  }
}

/** The cells with a call's writes on top; a hostile key such as `__proto__` stays an own property. */
export const mergeCells = (cells: JsonObject | undefined, writes: JsonObject): JsonObject =>
  Object.fromEntries([...Object.entries(cells ?? {}), ...Object.entries(writes)]);

const lastBatch = (messages: readonly Message[]): readonly CallRecord[] => {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last.calls : [];
};

const findCall = (turn: TurnState, frame: string | undefined, id: string): CallRecord | undefined =>
  lastBatch(turn.frames.get(frame ?? ROOT)?.messages ?? []).find((call) => call.id === id);

function endCall(messages: readonly Message[], event: Ended, opened?: FrameState): void {
  const call = lastBatch(messages).find(({ id }) => id === event.call);
  if (!call || call.ended) return;
  delete call.place;
  delete call.started;
  delete call.waits;
  call.ended = {
    result: event.result,
    direct: event.direct ?? false,
    changes: event.changes,
    ...(opened && !opened.planned && { nested: true }),
  };
}
