import { summaryMessage } from '../../journal/cut.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import { askAside } from '../../loop/ask-layers.ts';
import { ModelCallRefused } from '../../loop/ask-reply.ts';
import type { Loop } from '../../loop/loop.ts';
import { asideSettings } from '../../loop/loop-settings.ts';
import { toHistory } from '../../loop/shown-history.ts';
import type { ModelReply, ModelRequest } from '../../model/chat-model.ts';
import { makerOf } from '../../model/given-to.ts';
import { priced } from '../../model/prices.ts';
import { ENCODER, untilAborted } from '../../tool/async.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import { inWords, isStored, isText, type StoredFile } from '../../tool/content.ts';
import { modelText, partsOfResult, shownText } from '../../tool/tool-result.ts';

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
  loop: Loop,
  messages: readonly HistoryMessage[],
): Promise<Summary> {
  const written = await inTime(loop, (signal) => summaryOf(settings, loop, { messages, signal }));
  const text = loop.secrets.redact(written.text);
  if (written.finish === 'content-filter') throw new SummaryDropped('cut-off', written.usage);
  // Functions without types may answer anything.
  if (typeof text !== 'string' || text.trim() === '') throw new SummaryDropped('blank', written.usage);
  const { resultCharacters } = loop.spec.policies;
  const tokens = countTokens(toHistory([summaryMessage(text)]), resultCharacters);
  if (tokens < countTokens(messages, resultCharacters)) return { ...written, text };
  throw new SummaryDropped('no-shorter', written.usage);
}

interface Task {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

function summaryOf(settings: SummarySettings, loop: Loop, task: Task): Promise<Summary> {
  const { summarize, overTokens, instructions } = settings;
  // One request, as far as can be foreseen, also of a function.
  loop.holder.claim({ subrequests: 1, ms: 0 });
  return loop.slots.hold(async () => {
    if (summarize) return { text: await untilAborted(task.signal, called(summarize, task)) };
    const summary = await askForSummary(loop, { ...task, instructions, overTokens });
    if (!summary) throw new NotCompacted("the turn's limit leaves no room for its summary.");
    return summary;
  });
}

/** With messages of its own: what it does to them is not done to the conversation. */
const called = async (summarize: Summarize, { messages, signal }: Task): Promise<string> =>
  summarize(structuredClone(messages), signal);

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

/** The options, with what holds unless given. */
export interface SummarySettings {
  readonly overTokens: number;
  readonly keepTurns: number;
  /** Absent: the model of the turn's loop. */
  readonly summarize: Summarize | undefined;
  readonly instructions: string;
}

/**
 * Writes what stands for these messages, the oldest first; the first may be the summary before (`by: 'summary'`). `signal`
 * aborts when nobody waits for it any more. What it throws leaves the conversation as it is.
 */
export type Summarize = (
  messages: readonly HistoryMessage[],
  signal: AbortSignal,
) => string | Promise<string>;

/** A summary, and what its model used. */
export interface Summary {
  readonly text: string;
  /** Of its model, as that says it; absent when a function wrote it. */
  readonly finish?: string;
  readonly usage?: PricedUsage | undefined;
}

/** Why no summary was written; told to the log, so it holds nothing of what was said. */
export class NotCompacted extends Error {
  override readonly name = 'NotCompacted';
}

/** Why a summary is not used; `cut-off`: by a filter of its provider. A type alias: it must be JSON. */
export type Reason = 'blank' | 'no-shorter' | 'cut-off' | 'late';

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

/** Bytes of conversation that count as a token: the same everywhere, whatever a provider reports. */
const BYTES_PER_TOKEN = 4;

/**
 * The length of a conversation, of which a model is shown so many characters of one result. A language with longer characters
 * has more tokens a character, which its bytes tell.
 */
export const countTokens = (messages: readonly HistoryMessage[], characters: number): number =>
  Math.ceil(messages.reduce((bytes, message) => bytes + bytesIn(message, characters), 0) / BYTES_PER_TOKEN);

const bytesIn = (message: HistoryMessage, most: number): number =>
  textsIn(message, most).reduce(
    (bytes, text) => bytes + ENCODER.encode(text).length,
    filesIn(message).reduce(
      (bytes, { mediaType, size }) => bytes + (isText(mediaType) ? size : FILE_BYTES),
      0,
    ),
  );

/** What a picture, or a page or two, counts as: nobody can tell what its provider makes of it. */
const FILE_BYTES = 1_500 * BYTES_PER_TOKEN;

const filesIn = (message: HistoryMessage): readonly StoredFile[] =>
  (message.role === 'user'
    ? (message.parts ?? [])
    : message.calls.flatMap(({ result }) => (result ? partsOfResult(result) : []))
  ).filter(isStored);

/** A message of the user's, with a line for each file. */
const wordsOf = ({ text, parts }: Extract<HistoryMessage, { role: 'user' }>): string =>
  parts ? inWords(parts) : text;

function textsIn(message: HistoryMessage, most: number): readonly string[] {
  if (message.role === 'user') return [wordsOf(message)];
  const { text, calls, parts } = message;
  // Its parts hold its words and calls, and go back to the model with all that its provider keeps beside them.
  const said = parts ? [JSON.stringify(parts)] : [text, ...calls.flatMap(({ name, input }) => [name, input])];
  const results = calls.flatMap(({ result, shown = most, said: told = [] }) => [
    ...(result ? [shownText(result, Math.min(most, shown))] : []),
    ...told.map((one) => one.text),
  ]);
  return [...said, ...results];
}

/** How much more than the bound a model is given to read: a single turn may have gone far beyond it. */
const READ_OVER = 2;
/** Characters of a token, as conversations are measured. */
const CHARACTERS = 4;

/**
 * Has the loop's model summarize messages, in one call without tools, which is held back under the limits around the loop
 * as any other. `undefined` when they leave no room for it.
 *
 * @throws ModelError when there is no reply; Interrupted when the wait for it was cut short; the reason of `signal`.
 */
async function askForSummary(
  loop: Loop,
  { messages, signal, instructions, overTokens }: SummaryRequest,
): Promise<Summary | undefined> {
  const request: ModelRequest = {
    messages: [
      { role: 'system', text: instructions },
      { role: 'user', text: transcript(messages, READ_OVER * CHARACTERS * overTokens) },
    ],
    tools: [],
    ...asideSettings(loop),
  };
  const reply = await replyTo(loop, request, signal);
  if (!reply) return undefined;
  const { text, finish, usage, madeBy } = reply;
  const { model } = loop.spec;
  const maker = madeBy ? makerOf(model, madeBy) : model;
  return { text, finish, usage: usage && priced(usage, maker) };
}

/** What is to be summarised, and until when. */
interface SummaryRequest extends Pick<SummarySettings, 'instructions' | 'overTokens'> {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

async function replyTo(
  loop: Loop,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply | undefined> {
  try {
    return await askAside({ loop, request, signal });
  } catch (failure) {
    if (failure instanceof ModelCallRefused) return undefined;
    throw failure;
  }
}

/** Characters of one result that whoever summarises is shown: the rest of it is seldom what is remembered. */
const MAX_RESULT = 4_000;

/**
 * A conversation as text, for a model to read: one message a line, as JSON, so that no message can pass for another one. At
 * most about `most` characters: the first message, which may stand for all before it, and the newest that fit.
 */
export function transcript(messages: readonly HistoryMessage[], most: number): string {
  const lines = messages.map((message) => JSON.stringify(toLine(message)));
  const first = lines[0] ?? '';
  let start = lines.length;
  for (let left = most - first.length; start > 1; start -= 1) {
    left -= lines[start - 1]?.length ?? 0;
    if (left < 0) break;
  }
  const gap = start > 1 ? [JSON.stringify({ leftOut: `${start - 1} messages` })] : [];
  return [cut(first, most), ...gap, ...lines.slice(Math.max(start, 1))].join('\n');
}

const toLine = (message: HistoryMessage): unknown => {
  if (message.role === 'user') return { [message.by === undefined ? 'user' : message.by]: wordsOf(message) };
  const calls = message.calls.map(({ name, input, result, said }) => ({
    tool: name,
    input: cut(input, MAX_RESULT),
    ...(result && { result: cut(modelText(result), MAX_RESULT) }),
    ...(said && { said: cut(said.map((one) => one.text).join('\n'), MAX_RESULT) }),
  }));
  return { assistant: message.text, ...(calls.length > 0 && { calls }) };
};

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [${text.length - most} more characters]` : text;
