/** Converts the folded state of a session to a form for people. */
import type { FrameState, Message, SessionState, TurnState } from '../../journal/state.ts';
import { getVisibleMemory } from '../../session/watching/turn-outcome.ts';
import type { JsonObject } from '../../tool/json.ts';
import { ANY_OBJECT, INTEGER, type Infer, type Shape } from '../../tool/shape.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';

/** The state at an event. */
export interface StateView extends Infer<typeof STATE_VIEW> {}
export const STATE_VIEW = {
  object: {
    /** The sequence number of the last folded event. */
    seq: INTEGER,
    /** The sequence number of the session's last event. */
    head: INTEGER,
    /** The state, as the code of this deployment folds it. */
    state: ANY_OBJECT,
  },
} as const satisfies Shape;

interface ShownState {
  readonly state: SessionState;
  readonly head: number;
  readonly memories: readonly ToolMemory[];
}

export function toStateView({ state, head, memories }: ShownState): StateView {
  const { seq, turn, blackboard, callState, usage, cut, inDoubt, recurring } = state;
  const shown = {
    turn: turn && toTurnView(turn),
    messages: state.messages.map(toMessageView),
    blackboard,
    callState: Object.fromEntries(callState),
    memory: getVisibleMemory(state, { memories }),
    usage,
    ...(cut && { cut }),
    ...(inDoubt.size > 0 && { callsInDoubt: [...inDoubt] }),
    ...(recurring !== undefined && { recurring }),
    ...(state.brokenMemories && { brokenMemories: Object.fromEntries(state.brokenMemories) }),
  };
  // The state consists of JSON. This removes undefined members.
  return { seq, head, state: JSON.parse(JSON.stringify(shown)) as JsonObject };
}

const toTurnView = ({ frames, callsByTool, tools, ...turn }: TurnState) => ({
  ...turn,
  callsByTool: Object.fromEntries(callsByTool),
  tools,
  frames: [...frames.values()].map(toFrameView),
});

/** The messages of the turn's own loop are those of the session. */
const toFrameView = ({ id, path, messages, iterations, blankReplies, refused, planned }: FrameState) => ({
  ...{ id, path, iterations, planned, blankReplies, refused },
  ...(id !== '' && { messages: messages.map(toMessageView) }),
});

const toMessageView = (message: Message) =>
  message.role === 'user' ? message : { ...message, calls: message.calls.map((call) => ({ ...call })) };
