import type { SessionEvent } from '../journal/events.ts';
import type { PricedUsage } from '../journal/usage.ts';
import { ModelError } from '../model/chat-model.ts';
import type { Conversation } from '../tool-loop/compaction.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import { shownHistory } from '../tool-loop/transform.ts';
import type { Summary } from './ask-for-summary.ts';
import { countTokens } from './count-tokens.ts';
import { type Cut, findCut } from './find-cut.ts';
import { NotCompacted, SummaryDropped } from './not-compacted.ts';
import type { SummarySettings } from './summarised.ts';
import { writeSummary } from './write-summary.ts';

/**
 * Before the first model call of a turn: has a summary written for the oldest messages when the conversation has become too
 * long, and journals it. Decided from the folded state alone: after a crash it is asked for again, and once it is journaled
 * nothing is left to replace. One that fails, for whatever reason, leaves the turn to go on with all messages: the journal tells
 * of a summary that was dropped, and of the same messages none is asked for again; the log tells of any other failure.
 *
 * @throws Interrupted when this invocation may not go on.
 */
export async function compactConversation(
  settings: SummarySettings,
  conversation: Conversation,
): Promise<void> {
  const { loop, port } = conversation;
  const { frame, spec } = loop;
  if (frame.iterations > 0) return;
  const { state } = loop.journal;
  const tokens = countTokens(shownHistory(spec, frame.messages), spec.policies.resultCharacters);
  if (tokens <= settings.overTokens) return;
  loop.holder.checkpoint();
  try {
    const cut = await findCut(state, settings.keepTurns, port);
    if (!cut || cut.from === state.summaryDropped?.from) return;
    loop.journal.emit(await replacement(settings, conversation, { cut, tokens }));
  } catch (failure) {
    if (failure instanceof Interrupted) throw failure;
    console.error(`holdfast: a conversation was not compacted, and goes on whole: ${reasonOf(failure)}`);
  }
}

/** What becomes of the oldest messages: what was paid is counted, and that it was in vain is remembered. */
async function replacement(
  settings: SummarySettings,
  conversation: Conversation,
  { cut, tokens }: { readonly cut: Cut; readonly tokens: number },
): Promise<SessionEvent> {
  const { spec, frame, turn } = conversation.loop;
  const replaced = shownHistory(spec, frame.messages.slice(0, cut.messages));
  try {
    const written = await writeSummary(settings, conversation, replaced);
    return { type: 'conversation-compacted', turn, summary: written.text, ...cut, ...usageOf(written) };
  } catch (failure) {
    if (!(failure instanceof SummaryDropped)) throw failure;
    const { reason } = failure;
    return { type: 'summary-dropped', turn, reason, from: cut.from, tokens, ...usageOf(failure) };
  }
}

const usageOf = ({ usage }: Pick<Summary, 'usage'>): { readonly usage?: PricedUsage } =>
  usage ? { usage } : {};

/** What is thrown by a function of the app may hold what was said. */
const reasonOf = (failure: unknown): string =>
  failure instanceof ModelError || failure instanceof NotCompacted
    ? failure.message
    : `a ${failure instanceof Error ? failure.constructor.name : typeof failure} was thrown.`;
