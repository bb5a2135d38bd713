/** The entry `holdfast/transformers`: what models are shown of a conversation is changed, while the journal keeps what was said. */
import { type HistoryScope, LOOPS } from '../../loop/loop-seams.ts';
import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../../tool/call.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { mistake } from '../../tool/log.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { beginning, modelText, type ResultData, withWords } from '../../tool/tool-result.ts';

/**
 * Changes what models are shown of a conversation: `defineAgent({ use: [defineTransformer({ name, result })] })`, or of all agents of an app
 * with `createHoldfast({ use })`. The journal keeps what was said. Transformers run in the order in which they are used, each on what the
 * one before it made, also in nested loops. If a function throws, its value stays as it was, and the log says so.
 *
 * @throws TypeError in development if the literal has no name, or no function.
 *
 * @example
 * ```ts
 * const withoutIbans = defineTransformer({
 *   name: 'without-ibans',
 *   result: (text) => text.replaceAll(/[A-Z]{2}\d{2}[ \dA-Z]{11,30}/g, '[IBAN]'),
 * });
 * ```
 */
export function defineTransformer(transformer: LoopTransformer): ModuleUse {
  const fault = literals?.fault(transformer, SHAPE);
  if (fault) throw new TypeError(`A transformer ${fault.problem}.`);
  const { name, messages, result, reply } = transformer;
  if (!messages && !result && !reply) {
    throw new TypeError(
      `The transformer '${name}' changes nothing: give it 'messages', 'result' or 'reply'.`,
    );
  }
  const use = useOf(TRANSFORMERS, name);
  LOOPS.give(use, { history: (shown, scope) => applied(transformer, shown, scope) });
  return use;
}

/** The functions of a transformer. They are pure: they run many times for a model call, and for `call.history()`, in every invocation. */
export interface LoopTransformer {
  /** Names it in the log, and tells it from the other transformers of its agent. */
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

const TRANSFORMERS = createModule({ name: 'transformers', nested: true });

const SHAPE = {
  of: 'defineTransformer',
  keys: { name: 'text', messages: 'function', result: 'function', reply: 'function', shortens: 'flag' },
  required: ['name'],
} satisfies LiteralShape<keyof LoopTransformer>;

/** What a transformer makes of a conversation, or of a part of it. */
function applied(
  transformer: LoopTransformer,
  shown: readonly HistoryMessage[],
  { of, principal, log }: HistoryScope,
): readonly HistoryMessage[] {
  const { name, messages, result, reply, shortens } = transformer;
  if (shortens && (of === 'all-words' || of === 'answer')) return shown;

  /** Returns what the transformer made of a value, or the value. */
  function attempt<T extends string | readonly HistoryMessage[]>(
    value: T,
    make: ((value: T, scope: TransformScope) => T) | undefined,
  ): T {
    if (!make) return value;
    try {
      const made = make(value, { principal });
      // In plain JavaScript it may return anything.
      if (typeof made === typeof value && Array.isArray(made) === Array.isArray(value)) return made;
      throw new TypeError('It returned something else.');
    } catch (thrown) {
      log(mistake(`the transformer '${name}' failed; what it was given stays as it was`, thrown));
      return value;
    }
  }

  function resultOf(call: HistoryCall, data: ResultData): ResultData {
    const words = data.type === 'error' ? data.message : modelText(data);
    const next = attempt(words, result && ((text, scope) => result(text, call, scope)));
    return next === words ? data : withWords(data, next);
  }

  const callOf = (call: HistoryCall): HistoryCall => ({
    ...call,
    ...(call.result && { result: resultOf(call, call.result) }),
    ...(call.said && { said: call.said.map((one) => ({ ...one, text: attempt(one.text, reply) })) }),
  });

  const isWhole = of === 'conversation' || of === 'all-words';
  const left = isWhole ? attempt(shown, messages) : shown;
  if (!result && !reply) return left;
  return left.map((message) =>
    message.role === 'user'
      ? message
      : { ...message, text: attempt(message.text, reply), calls: message.calls.map(callOf) },
  );
}

/**
 * Has a model shown the newest messages only: at most `maxMessages`, counted as they are sent (a reply and each of its results are
 * one each), without the system message, which always stands first. It cuts whole replies with their results,
 * keeps the newest message of the user wherever it stands, and begins with a message of a user. The newest
 * reply is shown even when it alone is longer.
 *
 * @throws RangeError when `maxMessages` is not a positive whole number.
 */
export function slidingWindow({ maxMessages }: { readonly maxMessages: number }): ModuleUse {
  if (!Number.isInteger(maxMessages) || maxMessages < 1) {
    throw new RangeError(`slidingWindow: maxMessages is ${maxMessages}; use a positive whole number.`);
  }
  return defineTransformer({
    name: `slidingWindow(${maxMessages})`,
    messages: (messages) => newest(messages, maxMessages),
  });
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

/** So much of a result is shown unless a use says otherwise, in characters. */
const MAX_LENGTH = 10_000;

/**
 * Has a model shown the beginning of long results only. The journal, sinks and whoever is answered directly have all of it.
 *
 * @throws RangeError when `maxLength` is not a whole number from 0.
 */
export function truncateToolResults({
  maxLength = MAX_LENGTH,
  marker = charsShown,
}: TruncationOptions = {}): ModuleUse {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new RangeError(`truncateToolResults: maxLength is ${maxLength}; use a whole number from 0.`);
  }
  return defineTransformer({
    name: `truncateToolResults(${maxLength})`,
    shortens: true,
    result: (text) => {
      if (text.length <= maxLength) return text;
      const kept = beginning(text, maxLength);
      return kept + (typeof marker === 'string' ? marker : marker(kept.length, text.length));
    },
  });
}

/** What is put after the first characters of a result: `shown` of `length` characters. */
export type TruncationMarker = (shown: number, length: number) => string;

/** Marks a shortened result by `\n... [truncated, 10000 chars shown]`. */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** Marks a shortened result by `... [truncated, full length: 20000 chars]`. */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

/** How long a result may be, and what is shown of a longer one. */
export interface TruncationOptions {
  /** Characters of a result that are shown. Defaults to 10,000; 0 leaves the marker only. */
  readonly maxLength?: number | undefined;
  /** Defaults to `charsShown`. */
  readonly marker?: string | TruncationMarker | undefined;
}
