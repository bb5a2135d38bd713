import { ROOT, type SessionEvent } from './events.ts';
import { foldUsed } from './spending.ts';
import type { SessionState, TurnState } from './state.ts';

type Compacted = Extract<SessionEvent, { type: 'conversation-compacted' }>;

/** Notes what stands for older messages, and what the summary used. The messages themselves are folded with all others. */
export function foldCompaction(state: SessionState, turn: TurnState, event: Compacted): void {
  const { summary, from } = event;
  state.compacted = { summary, from };
  const root = turn.frames.get(ROOT);
  if (!root) return;
  // The request for a summary tells nothing of the next one of the conversation.
  const { measured } = root;
  foldUsed(state, turn, root, event);
  root.measured = measured;
  state.measured = measured;
}
