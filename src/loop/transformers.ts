import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../tool/call.ts';
import { beginning } from '../tool/tool-result.ts';

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
  /** The words of one reply, also of the one that is the answer. */
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
}

/** Answers transformers that are told for whom the turn is. */
export const boundTo = (
  principal: TurnPrincipal,
  transformers: readonly LoopTransformer[],
): readonly BoundTransformer[] =>
  transformers.map(({ name, shortens, messages, result, reply }) => ({
    name,
    shortens,
    ...(messages && { messages: (all) => messages(all, { principal }) }),
    ...(result && { result: (text, call) => result(text, call, { principal }) }),
    ...(reply && { reply: (text) => reply(text, { principal }) }),
  }));

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

/** Reads `\n... [truncated, 10000 chars shown]`. */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** Reads `... [truncated, full length: 20000 chars]`. */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

/** How long a result may be, and what is shown of a longer one. */
export interface TruncationOptions {
  /** Characters of a result that are shown, 10,000 unless given; 0 leaves the marker only. */
  readonly maxLength?: number | undefined;
  /** `charsShown` unless given. */
  readonly marker?: string | TruncationMarker | undefined;
}
