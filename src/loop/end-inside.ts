/** What becomes of a nested loop whose call ends before it: nothing in it stays open, and nothing is journaled of it any more. */
import type { FrameState } from '../journal/state.ts';
import { isOutcomeUnknown, type ToolResult } from '../tool/tool-result.ts';
import { Interrupted } from './holder.ts';
import type { LoopJournal } from './loop.ts';
import { lateCall } from './reconcile.ts';
import type { ToolCallRun } from './tool-call-run.ts';

/**
 * Leaves a call that was ended with the loop around it while it ran. Its result still counts if its outcome is unknown.
 *
 * @throws Interrupted always.
 */
export function leaveLate({ loop, record }: ToolCallRun, result: ToolResult): never {
  if (!isOutcomeUnknown(result)) loop.holder.late(lateCall(record), Promise.resolve(result));
  throw hasEnded(record.id);
}

const hasEnded = (call: string): Interrupted => new Interrupted('cancelled', `Call ${call} has ended.`);

/** Returns the journal as a nested loop writes it: it takes nothing once the call that opened the loop has ended without waiting for it. */
export const whileOpen = (journal: LoopJournal, { id }: FrameState): LoopJournal => ({
  get state() {
    return journal.state;
  },
  get changed() {
    return journal.changed;
  },
  emit(...events) {
    if (!journal.state.turn?.frames.has(id)) throw hasEnded(id);
    journal.emit(...events);
  },
  durable: () => journal.durable(),
});
