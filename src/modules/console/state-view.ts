/** Converts the folded state of a session to a form for people. */
import type { FrameState, Message, SessionState, TurnState } from '../../journal/state.ts';
import { visibleToolMemory } from '../../session/watching/turn-outcome.ts';
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
    turn: turn && turnView(turn),
    messages: state.messages.map(messageView),
    blackboard,
    callState: Object.fromEntries(callState),
    memory: visibleToolMemory(state, { memories }),
    usage,
    ...(cut && { cut }),
    ...(inDoubt.size > 0 && { callsInDoubt: [...inDoubt] }),
    ...(recurring !== undefined && { recurring }),
    ...(state.brokenMemories && { brokenMemories: Object.fromEntries(state.brokenMemories) }),
  };
  // The state consists of JSON. This removes undefined members.
  return { seq, head, state: JSON.parse(JSON.stringify(shown)) as JsonObject };
}

const turnView = ({ frames, callsByTool, tools, ...turn }: TurnState) => ({
  ...turn,
  callsByTool: Object.fromEntries(callsByTool),
  tools,
  frames: [...frames.values()].map(frameView),
});

/** The messages of the turn's own loop are those of the session. */
const frameView = ({ id, path, messages, iterations, blankReplies, refused, planned }: FrameState) => ({
  ...{ id, path, iterations, planned, blankReplies, refused },
  ...(id !== '' && { messages: messages.map(messageView) }),
});

const messageView = (message: Message) =>
  message.role === 'user' ? message : { ...message, calls: message.calls.map((call) => ({ ...call })) };
