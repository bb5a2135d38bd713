import { summaryMessage } from '../journal/shortened.ts';
import type { Conversation } from '../tool-loop/compaction.ts';
import type { Loop } from '../tool-loop/loop.ts';
import { toHistory } from '../tool-loop/transform.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { untilAborted } from '../tools/until-aborted.ts';
import { askForSummary, type Summary } from './ask-for-summary.ts';
import { countTokens } from './count-tokens.ts';
import { NotCompacted, SummaryDropped } from './not-compacted.ts';
import type { Summarise, SummarySettings } from './summarised.ts';

/** The longest that a turn waits for a summary, in ms. */
const SUMMARY_TIME = 60_000;

/**
 * Has the summary of messages written by whom the agent says, in one of the slots of the invocation.
 *
 * @throws SummaryDropped when it cannot be used; NotCompacted when a limit leaves no room for it; what a model or a function
 *   throws; Interrupted when this invocation may not go on.
 */
export async function writeSummary(
  settings: SummarySettings,
  conversation: Conversation,
  messages: readonly HistoryMessage[],
): Promise<Summary> {
  const { loop } = conversation;
  const written = await inTime(loop, (signal) => summaryOf(settings, conversation, { messages, signal }));
  const text = loop.secrets.redact(written.text);
  if (written.finish === 'content-filter') throw new SummaryDropped('cut-off', written.usage);
  // Functions without types may answer anything.
  if (typeof text !== 'string' || text.trim() === '') throw new SummaryDropped('blank', written.usage);
  const length = (shown: readonly HistoryMessage[]): number =>
    countTokens(shown, loop.spec.policies.resultCharacters);
  if (length(toHistory([summaryMessage(text)])) < length(messages)) return { ...written, text };
  throw new SummaryDropped('no-shorter', written.usage);
}

interface Task {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

function summaryOf(settings: SummarySettings, { loop }: Conversation, task: Task): Promise<Summary> {
  const { summarise, overTokens, instructions } = settings;
  // One request, as far as can be foreseen, also of a function.
  loop.holder.claim({ subrequests: 1, ms: 0 });
  return loop.slots.hold(async () => {
    if (summarise) return { text: await untilAborted(task.signal, called(summarise, task)) };
    const summary = await askForSummary(loop, { ...task, instructions, overTokens });
    if (!summary) throw new NotCompacted("the turn's limit leaves no room for its summary.");
    return summary;
  });
}

/** With messages of its own: what it does to them is not done to the conversation. */
const called = async (summarise: Summarise, { messages, signal }: Task): Promise<string> =>
  summarise(structuredClone(messages), signal);

/** @throws SummaryDropped when it takes too long; Interrupted when this invocation may not go on. */
async function inTime<T>({ holder }: Loop, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const tooLong = new SummaryDropped('late');
  const stop = holder.after(SUMMARY_TIME, () => late.abort(tooLong));
  const { modelSignal } = holder;
  try {
    return await work(AbortSignal.any([modelSignal, late.signal]));
  } catch (failure) {
    if (modelSignal.aborted) throw modelSignal.reason;
    if (late.signal.aborted) throw tooLong;
    throw failure;
  } finally {
    stop();
  }
}
