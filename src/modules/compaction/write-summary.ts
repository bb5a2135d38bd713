import { createSummaryMessage } from '../../journal/cut.ts';
import type { PricedUsage } from '../../journal/reply-data.ts';
import { askAside } from '../../loop/ask-layers.ts';
import { ModelRefusalError } from '../../loop/ask-reply.ts';
import type { Loop } from '../../loop/loop.ts';
import { getAsideSettings } from '../../loop/loop-settings.ts';
import { toHistory } from '../../loop/shown-history.ts';
import type { ModelReply, ModelRequest } from '../../model/chat-model.ts';
import { resolveMaker } from '../../model/given-to.ts';
import { withCost } from '../../model/prices.ts';
import { ENCODER, raceAbort } from '../../tool/async.ts';
import type { HistoryMessage } from '../../tool/call.ts';
import { isStoredFile, isTextType, type StoredFile, toContentText } from '../../tool/content.ts';
import { getModelText, listResultParts, toModelText } from '../../tool/tool-result.ts';

/** The maximum time that a turn waits for a summary, in milliseconds. */
const SUMMARY_TIMEOUT_MS = 60_000;

/**
 * Lets the configured writer summarize messages, in one of the invocation's slots.
 *
 * @throws SummaryDropError if the summary cannot be used.
 * @throws CompactionFailure if a limit leaves no room for it.
 * @throws InterruptionError if this invocation must stop. Also rethrows errors of the model or the function.
 */
export async function writeSummary(
  settings: SummarySettings,
  loop: Loop,
  messages: readonly HistoryMessage[],
): Promise<Summary> {
  const written = await runWithTimeout(loop, (signal) =>
    requestSummary(settings, loop, { messages, signal }),
  );
  const text = loop.secrets.redact(written.text);
  if (written.finish === 'content-filter') throw new SummaryDropError('cut-off', written.usage);
  // Functions without types can return any value.
  if (typeof text !== 'string' || text.trim() === '') throw new SummaryDropError('blank', written.usage);
  const { resultCharacters } = loop.spec.policies;
  const tokens = countTokens(toHistory([createSummaryMessage(text)]), resultCharacters);
  if (tokens < countTokens(messages, resultCharacters)) return { ...written, text };
  throw new SummaryDropError('no-shorter', written.usage);
}

interface SummaryTask {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

function requestSummary(settings: SummarySettings, loop: Loop, task: SummaryTask): Promise<Summary> {
  const { summarize, overTokens, instructions } = settings;
  // Claims one request, which is the best estimate for a function too.
  loop.holder.claim({ subrequests: 1, ms: 0 });
  return loop.slots.hold(async () => {
    if (summarize) return { text: await raceAbort(task.signal, callSummarize(summarize, task)) };
    const summary = await askForSummary(loop, { ...task, instructions, overTokens });
    if (!summary) throw new CompactionFailure("the turn's limit leaves no room for its summary.");
    return summary;
  });
}

/** Calls the app's function with a copy, so that its changes do not affect the conversation. */
const callSummarize = async (summarize: Summarize, { messages, signal }: SummaryTask): Promise<string> =>
  summarize(structuredClone(messages), signal);

/**
 * @throws SummaryDropError if the work takes too long.
 * @throws InterruptionError if this invocation must stop.
 */
async function runWithTimeout<T>({ holder }: Loop, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const tooLong = new SummaryDropError('late');
  const stop = holder.after(SUMMARY_TIMEOUT_MS, () => late.abort(tooLong));
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

export interface SummarySettings {
  readonly overTokens: number;
  readonly keepTurns: number;
  /** `undefined` to use the model of the turn's loop. */
  readonly summarize: Summarize | undefined;
  readonly instructions: string;
}

/**
 * Writes the summary of these messages, oldest first. The first can be the previous summary (`by:
 * 'summary'`). `signal` aborts when the turn no longer waits. If the function throws, the conversation stays
 * as it is.
 */
export type Summarize = (
  messages: readonly HistoryMessage[],
  signal: AbortSignal,
) => string | Promise<string>;

export interface Summary {
  readonly text: string;
  /** The model's finish reason. Absent if a function wrote the summary. */
  readonly finish?: string;
  readonly usage?: PricedUsage | undefined;
}

/** The reason that no summary was written. It is logged, so it must not quote the conversation. */
export class CompactionFailure extends Error {
  override readonly name = 'CompactionFailure';
}

/**
 * The reason that a summary is not used. `cut-off` means that the provider's filter stopped it. A type alias,
 * because it must be JSON.
 */
export type DropReason = 'blank' | 'no-shorter' | 'cut-off' | 'late';

/**
 * Thrown if a summary was written or attempted and cannot be used. A retry with the same messages would
 * rarely be better.
 */
export class SummaryDropError extends Error {
  override readonly name = 'SummaryDropError';
  readonly reason: DropReason;
  /** The usage of its model, as far as it is known. */
  readonly usage: PricedUsage | undefined;

  constructor(reason: DropReason, usage?: PricedUsage) {
    super(`A summary was dropped: ${reason}.`);
    this.reason = reason;
    this.usage = usage;
  }
}

/** The number of bytes that count as one token, independent of the provider. */
const BYTES_PER_TOKEN = 4;

/**
 * Estimates the tokens of a conversation whose results are each shortened to `characters`. Counts bytes,
 * because languages with multi-byte characters use more tokens per character.
 */
export const countTokens = (messages: readonly HistoryMessage[], characters: number): number =>
  Math.ceil(
    messages.reduce((bytes, message) => bytes + estimateBytes(message, characters), 0) / BYTES_PER_TOKEN,
  );

const estimateBytes = (message: HistoryMessage, most: number): number =>
  listTexts(message, most).reduce(
    (bytes, text) => bytes + ENCODER.encode(text).length,
    listFiles(message).reduce(
      (bytes, { mediaType, size }) => bytes + (isTextType(mediaType) ? size : BYTES_PER_FILE),
      0,
    ),
  );

/**
 * The number of bytes for which a file counts, such as a picture or one or two pages. The provider's real
 * count is unknown.
 */
const BYTES_PER_FILE = 1_500 * BYTES_PER_TOKEN;

const listFiles = (message: HistoryMessage): readonly StoredFile[] =>
  (message.role === 'user'
    ? (message.parts ?? [])
    : message.calls.flatMap(({ result }) => (result ? listResultParts(result) : []))
  ).filter(isStoredFile);

/** Returns the text of a user's message, with a line for each file. */
const getUserText = ({ text, parts }: Extract<HistoryMessage, { role: 'user' }>): string =>
  parts ? toContentText(parts) : text;

function listTexts(message: HistoryMessage, most: number): readonly string[] {
  if (message.role === 'user') return [getUserText(message)];
  const { text, calls, parts } = message;
  // Parts contain the text and calls, and are sent to the model with the provider's own data.
  const said = parts ? [JSON.stringify(parts)] : [text, ...calls.flatMap(({ name, input }) => [name, input])];
  const results = calls.flatMap(({ result, shown = most, said: told = [] }) => [
    ...(result ? [toModelText(result, Math.min(most, shown))] : []),
    ...told.map((one) => one.text),
  ]);
  return [...said, ...results];
}

/** The factor by which the model's input can exceed the limit, because a single turn can far exceed it. */
const MAX_INPUT_FACTOR = 2;
/** Estimated characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Asks the loop's model to summarize messages, in one call without tools. The limits around the loop apply to
 * this call, too. Returns `undefined` if they leave no room for it.
 *
 * @throws ModelError if there is no reply.
 * @throws InterruptionError if the wait was cut short. Also throws the reason of `signal`.
 */
async function askForSummary(
  loop: Loop,
  { messages, signal, instructions, overTokens }: SummaryRequest,
): Promise<Summary | undefined> {
  const request: ModelRequest = {
    messages: [
      { role: 'system', text: instructions },
      {
        role: 'user',
        text: formatTranscript(messages, MAX_INPUT_FACTOR * CHARACTERS_PER_TOKEN * overTokens),
      },
    ],
    tools: [],
    ...getAsideSettings(loop),
  };
  const reply = await requestReply(loop, request, signal);
  if (!reply) return undefined;
  const { text, finish, usage, madeBy } = reply;
  const { model } = loop.spec;
  const maker = madeBy ? resolveMaker(model, madeBy) : model;
  return { text, finish, usage: usage && withCost(usage, maker) };
}

/** The messages to summarize, and the signal that ends the wait. */
interface SummaryRequest extends Pick<SummarySettings, 'instructions' | 'overTokens'> {
  readonly messages: readonly HistoryMessage[];
  readonly signal: AbortSignal;
}

async function requestReply(
  loop: Loop,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelReply | undefined> {
  try {
    return await askAside({ loop, request, signal });
  } catch (failure) {
    if (failure instanceof ModelRefusalError) return undefined;
    throw failure;
  }
}

/**
 * The maximum number of characters of one result that the writer of a summary sees. The rest rarely matters.
 */
const MAX_RESULT_CHARACTERS = 4_000;

/**
 * Returns a conversation as text for a model: one message on each line as JSON, so that a message cannot
 * imitate another. Contains about `most` characters: the first message, which can be the previous summary,
 * and the newest messages that fit.
 */
export function formatTranscript(messages: readonly HistoryMessage[], most: number): string {
  const lines = messages.map((message) => JSON.stringify(toLine(message)));
  const first = lines[0] ?? '';
  let start = lines.length;
  for (let left = most - first.length; start > 1; start -= 1) {
    left -= lines[start - 1]?.length ?? 0;
    if (left < 0) break;
  }
  const gap = start > 1 ? [JSON.stringify({ leftOut: `${start - 1} messages` })] : [];
  return [shortenText(first, most), ...gap, ...lines.slice(Math.max(start, 1))].join('\n');
}

const toLine = (message: HistoryMessage): unknown => {
  if (message.role === 'user')
    return { [message.by === undefined ? 'user' : message.by]: getUserText(message) };
  const calls = message.calls.map(({ name, input, result, said }) => ({
    tool: name,
    input: shortenText(input, MAX_RESULT_CHARACTERS),
    ...(result && { result: shortenText(getModelText(result), MAX_RESULT_CHARACTERS) }),
    ...(said && { said: shortenText(said.map((one) => one.text).join('\n'), MAX_RESULT_CHARACTERS) }),
  }));
  return { assistant: message.text, ...(calls.length > 0 && { calls }) };
};

const shortenText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [${text.length - most} more characters]` : text;
