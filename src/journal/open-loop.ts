import { type EventOf, ROOT } from './events.ts';
import { findCall, holdFacts } from './fold-calls.ts';
import { foldMessage } from './fold-message.ts';
import { applyFacts } from './memories.ts';
import type { Fold, FrameState, Message, SessionState, TurnState } from './state.ts';
import { NOTHING_SPENT } from './usage.ts';

/** A turn that has just started, with its own loop. */
export function startTurn(state: SessionState, event: EventOf<'turn-started'>): TurnState {
  const { agent: path, messages, blackboard, measured } = state;
  const root: FrameState = {
    ...newLoop,
    callsByTool: new Map(),
    id: ROOT,
    path,
    messages,
    blackboard,
    measured,
  };
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
    scheduled: 0,
    cancelRequested: false,
    resumedSinceReply: 0,
    resumedIdly: 0,
    lastEvent: event.type,
    text: '',
    outcome: undefined,
    error: undefined,
    signal: undefined,
    object: undefined,
  };
}

const newLoop = {
  toolCalls: 0,
  seen: { callState: {}, entries: 0, memories: new Map() },
  planned: false,
  iterations: 0,
  blankReplies: 0,
  unknownTools: 0,
  rejected: false,
  shortened: false,
  spent: NOTHING_SPENT,
  asked: undefined,
  measured: undefined,
  refused: undefined,
};

/** Opens the nested loop of a call, under the one that the call is of. */
export function openFrame(fold: Fold, event: EventOf<'frame-started'>): void {
  const { state, turn } = fold;
  const { frame: id, facts } = event;
  const opener = { call: id, ...(event.parent !== undefined && { frame: event.parent }) };
  holdFacts(findCall(fold, opener), event);
  const parent = turn.frames.get(event.parent ?? ROOT);
  const path = parent ? `${parent.path}/${event.name}` : event.name;
  const around = parent?.blackboard ?? state.blackboard;
  // What the call could see, and no more: what others have added since is not before it.
  const own = event.ownBlackboard && around.slice(0, parent?.seen.entries);
  const board = own ? { blackboard: own, inherited: own.length } : { blackboard: around };
  const inParent = parent && parent.id !== ROOT && { parent: parent.id };
  const messages: Message[] = [];
  foldMessage(messages, event);
  turn.frames.set(id, { ...newLoop, callsByTool: new Map(), ...board, ...inParent, id, path, messages });
  applyFacts(fold, { facts, place: { turn: turn.id, frame: id, path, call: id } });
}
