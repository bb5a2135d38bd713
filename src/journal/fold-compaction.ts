import { ROOT, type SessionEvent } from './events.ts';
import { foldUsed } from './spending.ts';
import type { SessionState, TurnState } from './state.ts';

type Compacted = Extract<SessionEvent, { type: 'conversation-compacted' }>;
type Dropped = Extract<SessionEvent, { type: 'summary-dropped' }>;

/** Notes what stands for older messages, and what the summary used. The messages themselves are folded with all others. */
export function foldCompaction(state: SessionState, turn: TurnState, event: Compacted): void {
  const { summary, from } = event;
  state.compacted = { summary, from };
  state.summaryDropped = undefined;
  foldSummaryUsed(state, turn, event);
}

/** Notes how long the conversation was that a summary was paid for in vain, and what it used. */
export function foldDropped(state: SessionState, turn: TurnState, event: Dropped): void {
  state.summaryDropped = { tokens: event.tokens };
  foldSummaryUsed(state, turn, event);
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
