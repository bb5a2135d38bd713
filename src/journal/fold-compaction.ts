import { type EventOf, ROOT } from './events.ts';
import { foldUsed, giveBack } from './spending.ts';
import { type Fold, frameOf, type SessionState } from './state.ts';

/** Notes what stands for older messages, and what the summary used. The messages themselves are folded with all others. */
export function foldCompaction(fold: Fold, event: EventOf<'conversation-compacted'>): void {
  const { state } = fold;
  state.starts = state.starts.filter((seq) => seq >= event.from);
  foldStandIn(state, event.from);
  state.summaryDropped = undefined;
  foldSummaryUsed(fold, event);
}

/** Notes which messages a summary was paid for in vain, and what it used. */
export function foldDropped(fold: Fold, event: EventOf<'summary-dropped'>): void {
  fold.state.summaryDropped = { from: event.from };
  foldSummaryUsed(fold, event);
}

/** Notes that a model is shown less, after it had refused a request. */
export function foldLessShown(fold: Fold, event: EventOf<'conversation-shortened'>): void {
  const { state, turn } = fold;
  const frame = frameOf(fold, event);
  if (!frame) return;
  if (frame.id === ROOT && event.turns !== undefined) {
    state.starts = state.starts.slice(-event.turns);
    foldStandIn(state, state.starts[0] ?? 1);
  }
  frame.shortened = true;
  giveBack(turn, frame);
}

/** Notes what the first message says, which stands for those before an event. */
function foldStandIn(state: SessionState, from: number): void {
  state.compacted = { text: state.messages[0]?.text ?? '', from };
}

function foldSummaryUsed(fold: Fold, { usage }: EventOf<'conversation-compacted' | 'summary-dropped'>): void {
  const root = fold.turn.frames.get(ROOT);
  if (!root) return;
  // The request for a summary tells nothing of the next one of the conversation.
  const { measured } = root;
  foldUsed(fold, root, usage);
  root.measured = measured;
  fold.state.measured = measured;
}
