import type { ToolMemory } from '../tool/tool-memory.ts';
import { closeOpenCalls, getAnswerText, getLastBatch, isBlank } from './conversation.ts';
import { foldCut } from './cut.ts';
import { getProgress } from './event-rows.ts';
import {
  CUT_OFF,
  EVENT_VERSION,
  type EventOf,
  type EventType,
  type FinalOutcome,
  type Outcome,
  ROOT,
  type SessionEvent,
  type StoredEvent,
} from './events.ts';
import {
  foldAnswered,
  foldEnded,
  foldLateResult,
  foldMessageSent,
  foldStarted,
  foldSuspended,
  foldTurnTools,
} from './fold-calls.ts';
import { foldConversation, openFrame, startTurn } from './fold-loop.ts';
import { applyFacts, type MemoryFold, notifyMemories } from './memories.ts';
import { addUsage, foldRefused, foldUsage } from './spending.ts';
import { type CallRecord, type Fold, findFrame, type SessionState, type StoppingCall } from './state.ts';
import { foldSteered, leaveTree } from './turn-tree.ts';

/**
 * The version in snapshots. A snapshot with another version is ignored and the journal is folded. It includes
 * the event version, since older events are upgraded before they are folded.
 */
export const REDUCER_VERSION = 1_000 * EVENT_VERSION + 1;

/**
 * Folds one event into a state that only the caller references, and mutates it. Otherwise pure: it reads no
 * clock or random numbers, so that a warm state equals one folded from the journal. Amortized O(1).
 */
export function reduce(
  state: SessionState,
  event: SessionEvent & Pick<StoredEvent, 'seq'>,
  memories: readonly ToolMemory[] = [],
): SessionState {
  state.seq = event.seq;
  foldConversation(state, event);
  if ('incarnation' in event) {
    state.incarnation = event.incarnation;
    state.agent = event.agent;
  } else if (event.type === 'turn-started') {
    if (!event.retries) state.starts.push(event.seq);
    state.turn = startTurn(state, event);
  } else if (state.turn?.id === event.turn) {
    foldInTurn({ state, turn: state.turn, memories }, event);
  } else if (event.type === 'module-event') {
    if (event.usage) addUsage(state.usage, event.usage);
    foldFacts({ state, memories }, event);
  }
  notifyMemories({ state, memories }, event);
  if (event.type === 'model-replied') {
    // The calls of a reply see memories as they are after the reply is folded.
    const frame = state.turn && findFrame({ turn: state.turn }, event);
    if (frame) frame.seen = { ...frame.seen, memories: new Map(state.memories) };
  }
  return state;
}

type TurnEventType = Exclude<EventType, 'session-opened' | 'session-forked' | 'turn-started'>;

function foldInTurn<Type extends TurnEventType>(fold: Fold, event: { [T in Type]: EventOf<T> }[Type]): void {
  const { turn } = fold;
  if (event.type !== 'turn-resumed') turn.lastEvent = describe(event);
  if (getProgress(event.type)) turn.resumedIdly = 0;
  FOLDS[event.type](fold, event);
}

type Folds = { readonly [Type in TurnEventType]: (fold: Fold, event: EventOf<Type>) => void };

const foldNothing = (): void => {};

/** The changes of each event outside the conversation, which is folded first. */
const FOLDS: Folds = {
  'turn-resumed': foldResumed,
  'model-refused': foldRefused,
  'model-replied': foldReply,
  'tool-call-started': foldStarted,
  'tool-call-suspended': foldSuspended,
  'tool-call-answered': foldAnswered,
  'tool-call-ended': foldEnded,
  'message-sent': foldMessageSent,
  'frame-started': openFrame,
  'tools-changed': foldTurnTools,
  'tools-listed': foldToolsListed,
  'answer-rejected': foldRejected,
  'turn-steered': foldSteered,
  'late-result-received': foldLateResult,
  'module-event': foldModuleEvent,
  'conversation-cut': foldCut,
  'cancel-requested': ({ turn }) => {
    turn.cancelRequested = true;
  },
  'turn-yielded': foldNothing,
  'turn-ended': foldTurnEnd,
};

const describe = (event: SessionEvent): string =>
  'call' in event ? `${event.type} ${event.call}` : event.type;

function foldResumed({ turn }: Fold, { cause }: EventOf<'turn-resumed'>): void {
  // A holder that releases a waiting turn has not asked the model since its last reply.
  if (cause !== 'expired' && turn.lastEvent !== 'turn-yielded') return;
  turn.resumedSinceReply += 1;
  turn.resumedIdly += 1;
}

function foldReply(fold: Fold, event: EventOf<'model-replied'>): void {
  const frame = findFrame(fold, event);
  if (!frame) return;
  const { state, turn } = fold;
  frame.seen = {
    callState: state.callState.get(frame.path) ?? {},
    entries: frame.blackboard.length,
    memories: frame.seen.memories,
  };
  frame.planned = event.planned ?? false;
  frame.iterations += 1;
  frame.shortened = false;
  frame.blankReplies = isBlank({ ...event, calls: event.toolCalls }) ? frame.blankReplies + 1 : 0;
  if (!event.planned && event.finish !== CUT_OFF) {
    turn.iterations += 1;
    turn.model = event.model;
  }
  turn.toolCalls += event.toolCalls.length;
  for (const { name, meant = name } of event.toolCalls)
    turn.callsByTool.set(meant, (turn.callsByTool.get(meant) ?? 0) + 1);
  if (frame.id === ROOT) turn.limited ||= event.last ?? false;
  turn.resumedSinceReply = 0;
  foldUsage(fold, event.usage);
}

function foldToolsListed(fold: Fold, event: EventOf<'tools-listed'>): void {
  fold.turn.tools.sourcesAsked += 1;
  foldFacts(fold, event);
}

function foldModuleEvent(fold: Fold, event: EventOf<'module-event'>): void {
  foldUsage(fold, event.usage);
  foldFacts(fold, event);
}

/**
 * Folds facts that do not belong to a call. If their loop is gone, they belong to the session, since an ended
 * turn has no loops.
 */
function foldFacts(
  fold: MemoryFold & Partial<Pick<Fold, 'turn'>>,
  { turn, frame: id = ROOT, facts }: EventOf<'tools-listed' | 'module-event'>,
): void {
  const frame = fold.turn?.frames.get(id);
  if (id !== ROOT && !frame) return;
  const { path = fold.state.agent } = frame ?? {};
  applyFacts(fold, { facts, place: { turn, frame: id, path, call: id } });
}

function foldRejected(fold: Fold, event: EventOf<'answer-rejected'>): void {
  const frame = findFrame(fold, event);
  if (frame) frame.rejected = true;
}

function foldTurnEnd(fold: Fold, event: EventOf<'turn-ended'>): void {
  const { state, turn } = fold;
  const { outcome, limit, error, signal, object, text } = event;
  closeUnread(fold, outcome);
  turn.outcome = outcome;
  turn.limit = limit;
  turn.error = error;
  turn.signal = signal;
  turn.object = object;
  turn.stoppedBy = listStoppingCalls(state, event);
  turn.text =
    OUTCOMES_WITH_ANSWER.includes(outcome) && !signal ? (text ?? getAnswerText(state.messages)) : '';
  leaveTree(fold);
  turn.frames.clear();
}

function listStoppingCalls(
  { messages }: SessionState,
  { outcome, signal }: EventOf<'turn-ended'>,
): readonly StoppingCall[] {
  const hasStopped = ({ ended }: CallRecord): boolean =>
    signal
      ? ended?.result.signal?.type === signal.type
      : outcome === 'returned-direct' && ended?.direct === true;
  return getLastBatch(messages)
    .filter(hasStopped)
    .map(({ id: call, name: tool }) => ({ call, tool }));
}

/** The outcomes that come with an answer. */
export const OUTCOMES_WITH_ANSWER: readonly Outcome[] = ['completed', 'returned-direct', 'limit-reached'];

/** Ends the open calls of a turn that was ended unread, in the way its holder would have. */
function closeUnread(fold: Fold, outcome: FinalOutcome): void {
  const { state, turn } = fold;
  for (const end of closeOpenCalls(turn, outcome)) {
    foldConversation(state, end);
    foldEnded(fold, end);
    if (end.frame === undefined) state.closedUnread.set(end.call, end.result);
  }
  // No row has the changes of these ends. Drop them from the messages too, so that a state read from a
  // snapshot is equal.
  for (const call of getLastBatch(state.messages)) {
    if (call.ended && state.closedUnread.has(call.id)) call.ended = { ...call.ended, changes: undefined };
  }
}
