import type { SessionPort } from '../journal/session-port.ts';
import type { FrameState, Message, SessionState } from '../journal/state.ts';
import { summaryMessage } from '../journal/summary-message.ts';
import { ModelError } from '../model/chat-model.ts';
import { askForSummary, type Summary } from '../tool-loop/ask-for-summary.ts';
import { type Compaction, KEPT_TURNS, type Summarise } from '../tool-loop/compaction.ts';
import { toHistory } from '../tool-loop/history.ts';
import { Interrupted } from '../tool-loop/interrupted.ts';
import type { Loop } from '../tool-loop/loop.ts';
import { shownHistory } from '../tool-loop/transform.ts';
import { untilAborted } from '../tool-loop/until-aborted.ts';
import type { HistoryMessage } from '../tools/tool.ts';
import { modelText } from '../tools/tool-result.ts';
import { PAGE_BYTES } from './fold-session.ts';

/** The longest that a turn waits for a summary, in ms. */
const SUMMARY_TIME = 60_000;

/** Bytes of conversation that count as a token. */
const BYTES_PER_TOKEN = 4;

interface Conversation {
  readonly compaction: Compaction;
  readonly loop: Loop;
  /** Of the turn's own loop. */
  readonly frame: FrameState;
  readonly port: Pick<SessionPort, 'read'>;
}

/** Why a conversation stays as it is; told to the log, so it holds nothing of what was said. */
class NotCompacted extends Error {}

/**
 * Before the first model call of a turn: has a summary written for the oldest messages when the conversation has become too
 * long, and journals it. Decided from the folded state alone: after a crash it is asked for again, and once it is journaled
 * nothing is left to replace. A summary that fails, for whatever reason, leaves the turn to go on with all messages.
 *
 * @throws Interrupted when this invocation may not go on.
 */
export async function compactConversation({ compaction, loop, frame, port }: Conversation): Promise<void> {
  if (frame.iterations > 0) return;
  const { journal, turn, invocation, secrets } = loop;
  const { overTokens, keepTurns = KEPT_TURNS } = compaction;
  if (tokensIn(shownHistory(loop, frame.messages)) <= overTokens) return;
  invocation.checkpoint();
  try {
    const cut = await cutBefore(journal.state, keepTurns, port);
    if (!cut) return;
    const replaced = shownHistory(loop, frame.messages.slice(0, cut.messages));
    const written = await inTime(loop, (signal) => summaryOf({ compaction, loop, frame }, replaced, signal));
    const summary = checked(secrets.redact(written.text), replaced);
    journal.emit({ type: 'conversation-compacted', turn, summary, ...cut, ...usageOf(written) });
  } catch (failure) {
    if (failure instanceof Interrupted) throw failure;
    console.error(`holdfast: a conversation was not compacted, and goes on whole: ${reasonOf(failure)}`);
  }
}

const usageOf = ({ usage }: Summary): Pick<Summary, 'usage'> => (usage ? { usage } : {});

/** How many messages are replaced, and the sequence of the first event whose message is kept. */
interface Cut {
  readonly messages: number;
  readonly from: number;
}

/** `undefined` when nothing stands before what is kept but the summary that was written last. */
async function cutBefore(
  { messages, compacted, seq }: SessionState,
  keepTurns: number,
  port: Conversation['port'],
): Promise<Cut | undefined> {
  const starts = messages.flatMap((message, index) => (isStart(message) ? [index] : []));
  const first = starts.at(-1 - keepTurns);
  if (first === undefined || !messages.slice(0, first).some((message) => !isSummary(message)))
    return undefined;
  const seqs = await turnStarts(port, compacted?.from ?? 1, seq);
  const from = seqs.at(-1 - keepTurns);
  if (from === undefined || seqs.length !== starts.length) {
    throw new NotCompacted('its turns are not where they should be in the journal.');
  }
  return { messages: first, from };
}

/** The message that started a turn. */
const isStart = (message: Message): boolean => message.role === 'user' && message.by === undefined;
const isSummary = (message: Message): boolean => message.role === 'user' && message.by === 'summary';

async function turnStarts(port: Conversation['port'], from: number, until: number): Promise<number[]> {
  const seqs: number[] = [];
  const types = { names: ['turn-started'], until };
  for (let next: number | null = from; next !== null; ) {
    const page = await port.read({ from: next, types, maxBytes: PAGE_BYTES });
    for (const { seq, type } of page?.rows ?? []) if (type === 'turn-started') seqs.push(seq);
    next = page?.next ?? null;
  }
  return seqs;
}

/** By whom the agent says; in one of the slots of the invocation. */
function summaryOf(
  { compaction, loop, frame }: Omit<Conversation, 'port'>,
  messages: readonly HistoryMessage[],
  signal: AbortSignal,
): Promise<Summary> {
  const { summarise } = compaction;
  // One request, as far as can be foreseen, also of a function.
  loop.invocation.claim({ subrequests: 1, ms: 0 });
  return loop.slots.hold(async () => {
    if (summarise) return { text: await untilAborted(signal, called(summarise, messages, signal)) };
    const summary = await askForSummary(loop, frame, { compaction, messages, signal });
    if (!summary) throw new NotCompacted("the turn's limit leaves no room for its summary.");
    return summary;
  });
}

/** With messages of its own: what it does to them is not done to the conversation. */
const called = async (
  summarise: Summarise,
  messages: readonly HistoryMessage[],
  signal: AbortSignal,
): Promise<string> => summarise(structuredClone(messages), signal);

/** @throws NotCompacted when it takes too long; Interrupted when this invocation may not go on. */
async function inTime<T>({ invocation }: Loop, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const tooLong = new NotCompacted(`its summary took longer than ${SUMMARY_TIME / 1_000} s.`);
  const stop = invocation.after(SUMMARY_TIME, () => late.abort(tooLong));
  const { modelSignal } = invocation;
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

/** @throws NotCompacted when it is no summary. */
function checked(summary: unknown, replaced: readonly HistoryMessage[]): string {
  if (typeof summary !== 'string' || summary.trim() === '') throw new NotCompacted('its summary is blank.');
  if (tokensIn(toHistory([summaryMessage(summary)])) < tokensIn(replaced)) return summary;
  throw new NotCompacted('its summary is no shorter than what it would stand for.');
}

const encoder = new TextEncoder();

/** A language with longer characters has more tokens a character, which its bytes tell. */
const tokensIn = (messages: readonly HistoryMessage[]): number =>
  Math.ceil(messages.reduce((bytes, message) => bytes + bytesIn(message), 0) / BYTES_PER_TOKEN);

function bytesIn(message: HistoryMessage): number {
  const calls = message.role === 'user' ? [] : message.calls;
  const texts = calls.flatMap(({ name, input, result }) => [name, input, result ? modelText(result) : '']);
  return [message.text, ...texts].reduce((bytes, text) => bytes + encoder.encode(text).length, 0);
}

/** What is thrown by a function of the app may hold what was said. */
const reasonOf = (failure: unknown): string =>
  failure instanceof ModelError || failure instanceof NotCompacted
    ? failure.message
    : `a ${failure instanceof Error ? failure.constructor.name : typeof failure} was thrown.`;
