import type { PricedUsage } from '../journal/events.ts';
import type { SessionState } from '../journal/state.ts';
import { ModelError } from '../model/chat-model.ts';
import type { Conversation } from '../tool-loop/compaction.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import type { Loop } from '../tool-loop/loop.ts';
import { shownHistory } from '../tool-loop/transform.ts';
import type { Summary } from './ask-for-summary.ts';
import { countTokens } from './count-tokens.ts';
import { findCut } from './find-cut.ts';
import { NotCompacted, SummaryDropped } from './not-compacted.ts';
import type { SummarySettings } from './summarised.ts';
import { writeSummary } from './write-summary.ts';

/** How much longer a conversation must have become before another summary is worth its price, when one was dropped. */
const GROWN = 1.25;

/**
 * Before the first model call of a turn: has a summary written for the oldest messages when the conversation has become too
 * long, and journals it. Decided from the folded state alone: after a crash it is asked for again, and once it is journaled
 * nothing is left to replace. One that fails, for whatever reason, leaves the turn to go on with all messages: the journal tells
 * of a summary that was dropped, the log of any other failure.
 *
 * @throws Interrupted when this invocation may not go on.
 */
export async function compactConversation(
  settings: SummarySettings,
  conversation: Conversation,
): Promise<void> {
  const { loop, frame } = conversation;
  if (frame.iterations > 0) return;
  const { state } = loop.journal;
  const tokens = countTokens(shownHistory(loop, frame.messages));
  if (tokens <= settings.overTokens || tokens < GROWN * (state.summaryDropped?.tokens ?? 0)) return;
  loop.invocation.checkpoint();
  try {
    await replaceOldest(settings, conversation, state);
  } catch (failure) {
    if (failure instanceof Interrupted) throw failure;
    if (failure instanceof SummaryDropped) emitDropped(loop, failure, tokens);
    else console.error(`holdfast: a conversation was not compacted, and goes on whole: ${reasonOf(failure)}`);
  }
}

async function replaceOldest(
  settings: SummarySettings,
  conversation: Conversation,
  state: SessionState,
): Promise<void> {
  const { loop, frame, port } = conversation;
  const { journal, turn } = loop;
  const cut = await findCut(state, settings.keepTurns, port);
  if (!cut) return;
  const replaced = shownHistory(loop, frame.messages.slice(0, cut.messages));
  const written = await writeSummary(settings, conversation, replaced);
  journal.emit({
    type: 'conversation-compacted',
    turn,
    summary: written.text,
    ...cut,
    ...usageOf(written),
  });
}

/** What was paid is counted, and that it was in vain is remembered. */
function emitDropped({ journal, turn }: Loop, dropped: SummaryDropped, tokens: number): void {
  const { reason } = dropped;
  journal.emit({ type: 'summary-dropped', turn, reason, tokens, ...usageOf(dropped) });
}

const usageOf = ({ usage }: Pick<Summary, 'usage'>): { readonly usage?: PricedUsage } =>
  usage ? { usage } : {};

/** What is thrown by a function of the app may hold what was said. */
const reasonOf = (failure: unknown): string =>
  failure instanceof ModelError || failure instanceof NotCompacted
    ? failure.message
    : `a ${failure instanceof Error ? failure.constructor.name : typeof failure} was thrown.`;
