import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../tool/call.ts';
import { type Log, mistake } from '../tool/log.ts';
import { beginning, modelText, type ResultData, withWords } from '../tool/tool-result.ts';
import type { ShownReply } from './kept-replies.ts';

/**
 * Changes what a model is shown of the conversation; the journal keeps what was said. Its functions are pure: they are
 * asked anew for every model call and for `call.history()`, in every invocation. Transformers are applied in order, each
 * to what the one before it made; a value for which one throws stays as it was, and that is logged.
 * Nested loops have the transformers of the loop around them.
 */
export interface LoopTransformer {
  /** For whoever reads the log. */
  readonly name: string;
  /** The whole conversation. A reply holds its calls and their results, so that none is shown without the other. */
  readonly messages?:
    | ((messages: readonly HistoryMessage[], scope: TransformScope) => readonly HistoryMessage[])
    | undefined;
  /** The words of one result; of an error its message, without the `Error: ` that the model reads before it. */
  readonly result?: ((text: string, call: HistoryCall, scope: TransformScope) => string) | undefined;
  /** `result` shortens, so it is not applied to what a tool returns directly to the user. */
  readonly shortens?: boolean | undefined;
  /** The words of one reply, also of the one that is the answer; and what calls said to the user. */
  readonly reply?: ((text: string, scope: TransformScope) => string) | undefined;
}

/** For whom a conversation is shown. */
export interface TransformScope {
  /** Who asked for the turn: nothing that a client writes into a message can change it. */
  readonly principal: TurnPrincipal;
}

/** A transformer as the loops of one turn have it. */
export interface BoundTransformer extends Pick<LoopTransformer, 'name' | 'shortens'> {
  readonly messages?: (messages: readonly HistoryMessage[]) => readonly HistoryMessage[];
  readonly result?: (text: string, call: HistoryCall) => string;
  readonly reply?: (text: string) => string;
  /** Takes what went wrong with it. */
  readonly log: Log;
}

/** Answers transformers that are told for whom the turn is. */
export const boundTo = (
  { principal, log }: { readonly principal: TurnPrincipal; readonly log: Log },
  transformers: readonly LoopTransformer[],
): readonly BoundTransformer[] =>
  transformers.map(({ name, shortens, messages, result, reply }) => ({
    name,
    shortens,
    log,
    ...(messages && { messages: (all) => messages(all, { principal }) }),
    ...(result && { result: (text, call) => result(text, call, { principal }) }),
    ...(reply && { reply: (text) => reply(text, { principal }) }),
  }));

/** What a transformer makes of a conversation. */
export function applied(
  transformer: BoundTransformer,
  shown: readonly HistoryMessage[],
): readonly HistoryMessage[] {
  const { messages, result, reply } = transformer;
  const cut = messages ? attempt(transformer, shown, messages) : shown;
  if (!result && !reply) return cut;
  return cut.map((message) => (message.role === 'user' ? message : changed(transformer, message)));
}

function changed(transformer: BoundTransformer, message: ShownReply): ShownReply {
  const calls = message.calls.map((call) => {
    const made = withResult(transformer, call);
    const said = made.said?.map((one) => ({ ...one, text: replyText(transformer, one.text) }));
    return said ? { ...made, said } : made;
  });
  return { ...message, text: replyText(transformer, message.text), calls };
}

/** What a transformer makes of a call, whose result it may change. */
export function withResult(transformer: BoundTransformer, call: HistoryCall): HistoryCall {
  return call.result ? { ...call, result: transformed(transformer, call, call.result) } : call;
}

/** What a transformer makes of a result. */
export function transformed(
  transformer: BoundTransformer,
  call: HistoryCall,
  result: ResultData,
): ResultData {
  const { result: transform } = transformer;
  if (!transform) return result;
  const words = result.type === 'error' ? result.message : modelText(result);
  const next = attempt(transformer, words, (text) => transform(text, call));
  return next === words ? result : withWords(result, next);
}

/** What a transformer makes of the words of a reply. */
export const replyText = (transformer: BoundTransformer, text: string): string =>
  transformer.reply ? attempt(transformer, text, transformer.reply) : text;

/** What a transformer made of a value, or the value. */
function attempt<T extends string | readonly HistoryMessage[]>(
  { name, log }: BoundTransformer,
  value: T,
  make: (value: T) => T,
): T {
  try {
    const made = make(value);
    // In plain JavaScript it may answer anything.
    if (typeof made === typeof value && Array.isArray(made) === Array.isArray(value)) return made;
    throw new TypeError('It answered with something else.');
  } catch (thrown) {
    log(mistake(`the transformer '${name}' failed; what it was given stays as it was`, thrown));
    return value;
  }
}

/**
 * Shows the newest messages only: at most `maxMessages`, counted as they are sent (a reply and each of its results are
 * one each), without the system message, which always stands first. It cuts whole replies with their results,
 * keeps the newest message of the user wherever it stands, and begins with a message of a user. The newest
 * reply is shown even when it alone is longer.
 *
 * @throws RangeError when `maxMessages` is not a positive whole number.
 */
export function slidingWindow({ maxMessages }: { readonly maxMessages: number }): LoopTransformer {
  if (!Number.isInteger(maxMessages) || maxMessages < 1) {
    throw new RangeError(`slidingWindow: maxMessages is ${maxMessages}; use a positive whole number.`);
  }
  return { name: 'slidingWindow', messages: (messages) => newest(messages, maxMessages) };
}

function newest(messages: readonly HistoryMessage[], most: number): readonly HistoryMessage[] {
  const question = messages.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let start = messages.length;
  let size = 0;
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    size += sizeOf(messages[i]);
    const pinned = i > question && question >= 0 ? 1 : 0;
    if (size + pinned > most && start < messages.length) break;
    start = i;
  }
  const pinned = messages[question];
  if (pinned && start > question) return [pinned, ...messages.slice(start)];
  const first = messages.findIndex(({ role }, index) => index >= start && role === 'user');
  return messages.slice(first < 0 ? start : first);
}

const sizeOf = (message: HistoryMessage | undefined): number =>
  message?.role === 'assistant' ? 1 + message.calls.length : 1;

/**
 * Shows a model the beginning of long results only. The journal, sinks and whoever is answered directly have all of it.
 *
 * @throws RangeError when `maxLength` is not a whole number from 0.
 */
export function truncateToolResults({
  maxLength = 10_000,
  marker = charsShown,
}: TruncationOptions = {}): LoopTransformer {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new RangeError(`truncateToolResults: maxLength is ${maxLength}; use a whole number from 0.`);
  }
  return {
    name: 'truncateToolResults',
    shortens: true,
    result: (text) => {
      if (text.length <= maxLength) return text;
      const kept = beginning(text, maxLength);
      return kept + (typeof marker === 'string' ? marker : marker(kept.length, text.length));
    },
  };
}

/** What is put after the first characters of a result: `shown` of `length` characters. */
export type TruncationMarker = (shown: number, length: number) => string;

/** Marks a shortened result by `\n... [truncated, 10000 chars shown]`. */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** Marks a shortened result by `... [truncated, full length: 20000 chars]`. */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

/** How long a result may be, and what is shown of a longer one. */
export interface TruncationOptions {
  /** Characters of a result that are shown, 10,000 unless given; 0 leaves the marker only. */
  readonly maxLength?: number | undefined;
  /** `charsShown` unless given. */
  readonly marker?: string | TruncationMarker | undefined;
}
