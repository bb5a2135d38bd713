import { ROOT, type SessionEvent } from './events.ts';
import { foldShortened } from './shortened.ts';
import { foldUnasked, foldUsed } from './spending.ts';
import type { SessionState, TurnState } from './state.ts';

type Compacted = Extract<SessionEvent, { type: 'conversation-compacted' }>;
type Dropped = Extract<SessionEvent, { type: 'summary-dropped' }>;
type Shortened = Extract<SessionEvent, { type: 'conversation-shortened' }>;

/** Notes what stands for older messages, and what the summary used. The messages themselves are folded with all others. */
export function foldCompaction(state: SessionState, turn: TurnState, event: Compacted): void {
  state.starts = state.starts.filter((seq) => seq >= event.from);
  foldStandIn(state, event.from);
  state.summaryDropped = undefined;
  foldSummaryUsed(state, turn, event);
}

/** Notes which messages a summary was paid for in vain, and what it used. */
export function foldDropped(state: SessionState, turn: TurnState, event: Dropped): void {
  state.summaryDropped = { from: event.from };
  foldSummaryUsed(state, turn, event);
}

/** Notes that a model is shown less, after it had refused a request. */
export function foldLessShown(state: SessionState, turn: TurnState, event: Shortened): void {
  const frame = turn.frames.get(event.frame ?? ROOT);
  if (!frame) return;
  if (frame.id !== ROOT) foldShortened(frame.messages, event);
  else if (event.turns !== undefined) {
    state.starts = state.starts.slice(-event.turns);
    foldStandIn(state, state.starts[0] ?? 1);
  }
  frame.shortened = true;
  foldUnasked(turn, frame);
}

/** Notes what the first message says, which stands for those before an event. */
function foldStandIn(state: SessionState, from: number): void {
  state.compacted = { text: state.messages[0]?.text ?? '', from };
}

function foldSummaryUsed(state: SessionState, turn: TurnState, event: Compacted | Dropped): void {
  const root = turn.frames.get(ROOT);
  if (!root) return;
  // The request for a summary tells nothing of the next one of the conversation.
  const { measured } = root;
  foldUsed(state, turn, root, event);
  root.measured = measured;
  state.measured = measured;
}
