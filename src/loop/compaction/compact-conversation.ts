import type { SessionEvent } from '../../journal/events.ts';
import type { SessionPort } from '../../journal/session-port.ts';
import { isStart, type Message, type SessionState } from '../../journal/state.ts';
import type { PricedUsage } from '../../journal/usage.ts';
import { ModelError } from '../../model/chat-model.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import { shownText } from '../../tool/tool-result.ts';
import type { Conversation } from '../compaction.ts';
import { Interrupted } from '../interrupted.ts';
import { shownHistory } from '../transform.ts';
import type { SummarySettings } from './summarised.ts';
import { type Summary, writeSummary } from './write-summary.ts';

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

/** How many messages are replaced, and the sequence of the first event whose message is kept. */
interface Cut {
  readonly messages: number;
  readonly from: number;
}

type Journal = Pick<SessionPort, 'read'>;

/**
 * Cuts before the turns that are kept; `undefined` when nothing stands before them but the summary that was written last.
 *
 * @throws NotCompacted when the journal does not tell where they begin.
 */
async function findCut(
  { messages, compacted, seq }: SessionState,
  keepTurns: number,
  port: Journal,
): Promise<Cut | undefined> {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  const first = starts.at(-1 - keepTurns);
  if (first === undefined || messages.slice(0, first).every(isSummary)) return undefined;
  const seqs = await turnStarts(port, compacted?.from ?? 1, seq);
  const from = seqs.at(-1 - keepTurns);
  if (from === undefined || seqs.length !== starts.length) {
    throw new NotCompacted('its turns are not where they should be in the journal.');
  }
  return { messages: first, from };
}

const isSummary = (message: Message): boolean => message.role === 'user' && message.by === 'summary';

async function turnStarts(port: Journal, from: number, until: number): Promise<number[]> {
  const seqs: number[] = [];
  const types = { names: ['turn-started'], until };
  for (let next: number | null = from; next !== null; ) {
    const page = await port.read({ from: next, types });
    for (const { seq, type } of page?.rows ?? []) if (type === 'turn-started') seqs.push(seq);
    next = page?.next ?? null;
  }
  return seqs;
}

/** Bytes of conversation that count as a token: the same everywhere, whatever a provider reports. */
const BYTES_PER_TOKEN = 4;

const encoder = new TextEncoder();

/**
 * The length of a conversation, of which a model is shown so many characters of one result. A language with longer characters
 * has more tokens a character, which its bytes tell.
 */
export const countTokens = (messages: readonly HistoryMessage[], characters: number): number =>
  Math.ceil(messages.reduce((bytes, message) => bytes + bytesIn(message, characters), 0) / BYTES_PER_TOKEN);

function bytesIn(message: HistoryMessage, most: number): number {
  const calls = message.role === 'user' ? [] : message.calls;
  const texts = calls.flatMap(({ name, input, result, shown = most }) => [
    name,
    input,
    result ? shownText(result, Math.min(most, shown)) : '',
  ]);
  return [message.text, ...texts].reduce((bytes, text) => bytes + encoder.encode(text).length, 0);
}

/** Why no summary was written; told to the log, so it holds nothing of what was said. */
export class NotCompacted extends Error {
  override readonly name = 'NotCompacted';
}

type Reason = Extract<SessionEvent, { type: 'summary-dropped' }>['reason'];

/** A summary was worked on, and cannot be used. The next one, of the same messages, would hardly be better. */
export class SummaryDropped extends Error {
  override readonly name = 'SummaryDropped';
  readonly reason: Reason;
  /** What its model used, as far as that is known. */
  readonly usage: PricedUsage | undefined;

  constructor(reason: Reason, usage?: PricedUsage) {
    super(`A summary was dropped: ${reason}.`);
    this.reason = reason;
    this.usage = usage;
  }
}
