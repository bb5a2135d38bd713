/**
 * The entry `holdfast/transformers`: changes the conversation that models see, while the journal keeps the
 * original.
 */
import { type HistoryScope, LOOPS } from '../../loop/loop-seams.ts';
import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../../tool/call.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { getModelText, type ResultData, truncateText, withText } from '../../tool/tool-result.ts';

/**
 * Changes the conversation that models see: for one agent with
 * `defineAgent({ use: [defineTransformer({ name, result })] })`, or for all agents of an app with
 * `createHoldfast({ use })`. The journal keeps the original. Transformers run in the order of `use`, each on
 * the output of the previous one, including in nested loops. If a function throws, the value stays unchanged
 * and the error is logged.
 *
 * @throws TypeError in development if the transformer has no name or no function.
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
      `The transformer '${name}' has no function. Give it 'messages', 'result' or 'reply'.`,
    );
  }
  const use = createUse(TRANSFORMERS_MODULE, name);
  LOOPS.give(use, { history: (shown, scope) => applyTransformer(transformer, shown, scope) });
  return use;
}

/**
 * The functions of a transformer. They must be pure, since they run many times in every invocation, for model
 * calls and for `call.history()`.
 */
export interface LoopTransformer {
  /** The name in the log, which is unique among the transformers of an agent. */
  readonly name: string;
  /**
   * Transforms the whole conversation. A reply contains its calls and their results, so that they stay
   * together.
   */
  readonly messages?:
    | ((messages: readonly HistoryMessage[], scope: TransformScope) => readonly HistoryMessage[])
    | undefined;
  /**
   * Transforms the text of one result. For an error, the text is the message without the `Error: ` that the
   * model also reads.
   */
  readonly result?: ((text: string, call: HistoryCall, scope: TransformScope) => string) | undefined;
  /**
   * `true` if `result` shortens text. It then does not apply to results that a tool returns directly to the
   * user. Defaults to `false`.
   */
  readonly shortens?: boolean | undefined;
  /**
   * Transforms the text of one reply, including the final answer, and the messages from calls to the user.
   */
  readonly reply?: ((text: string, scope: TransformScope) => string) | undefined;
}

/** The reader of a conversation. */
export interface TransformScope {
  /** The principal of the turn. Text in a client's message cannot change it. */
  readonly principal: TurnPrincipal;
}

const TRANSFORMERS_MODULE = createModule({ name: 'transformers', nested: true });

const SHAPE = {
  of: 'defineTransformer',
  keys: { name: 'text', messages: 'function', result: 'function', reply: 'function', shortens: 'flag' },
  required: ['name'],
} satisfies LiteralShape<keyof LoopTransformer>;

/** Applies a transformer to a conversation, or to a part of it. */
function applyTransformer(
  transformer: LoopTransformer,
  shown: readonly HistoryMessage[],
  { of, principal, log }: HistoryScope,
): readonly HistoryMessage[] {
  const { name, messages, result, reply, shortens } = transformer;
  if (shortens && (of === 'all-words' || of === 'answer')) return shown;

  /** Returns the transformed value, or the original if the function fails. */
  function tryTransform<T extends string | readonly HistoryMessage[]>(
    value: T,
    make: ((value: T, scope: TransformScope) => T) | undefined,
  ): T {
    if (!make) return value;
    try {
      const made = make(value, { principal });
      // In plain JavaScript, it may return any value.
      if (typeof made === typeof value && Array.isArray(made) === Array.isArray(value)) return made;
      throw new TypeError('The result and the input differ in type.');
    } catch (thrown) {
      log(createErrorEntry(`the transformer '${name}' failed; its input stays unchanged`, thrown));
      return value;
    }
  }

  function withData(call: HistoryCall, data: ResultData): ResultData {
    const words = data.type === 'error' ? data.message : getModelText(data);
    const next = tryTransform(words, result && ((text, scope) => result(text, call, scope)));
    return next === words ? data : withText(data, next);
  }

  const transformCall = (call: HistoryCall): HistoryCall => ({
    ...call,
    ...(call.result && { result: withData(call, call.result) }),
    ...(call.said && { said: call.said.map((one) => ({ ...one, text: tryTransform(one.text, reply) })) }),
  });

  const isWhole = of === 'conversation' || of === 'all-words';
  const left = isWhole ? tryTransform(shown, messages) : shown;
  if (!result && !reply) return left;
  return left.map((message) =>
    message.role === 'user'
      ? message
      : { ...message, text: tryTransform(message.text, reply), calls: message.calls.map(transformCall) },
  );
}

/**
 * Limits the conversation that models see to the newest messages: at most `maxMessages`, where a reply and
 * each of its results count as one message each. The system message does not count and stays first. Removes
 * whole replies with their results, always keeps the user's newest message, and starts the conversation with
 * a user's message. Keeps the newest reply even if it alone exceeds the limit.
 *
 * @throws RangeError if `maxMessages` is not a positive whole number.
 *
 * @example
 * ```ts
 * const use = [slidingWindow({ maxMessages: 40 })];
 * ```
 */
export function slidingWindow({ maxMessages }: { readonly maxMessages: number }): ModuleUse {
  if (!Number.isInteger(maxMessages) || maxMessages < 1) {
    throw new RangeError(`slidingWindow: maxMessages is ${maxMessages}. Use a positive whole number.`);
  }
  return defineTransformer({
    name: `slidingWindow(${maxMessages})`,
    messages: (messages) => keepNewest(messages, maxMessages),
  });
}

function keepNewest(messages: readonly HistoryMessage[], most: number): readonly HistoryMessage[] {
  const question = messages.findLastIndex((message) => message.role === 'user' && message.by === undefined);
  let start = messages.length;
  let size = 0;
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    size += measureSize(messages[i]);
    const pinned = i > question && question >= 0 ? 1 : 0;
    if (size + pinned > most && start < messages.length) break;
    start = i;
  }
  const pinned = messages[question];
  if (pinned && start > question) return [pinned, ...messages.slice(start)];
  const first = messages.findIndex(({ role }, index) => index >= start && role === 'user');
  return messages.slice(first < 0 ? start : first);
}

const measureSize = (message: HistoryMessage | undefined): number =>
  message?.role === 'assistant' ? 1 + message.calls.length : 1;

const MAX_LENGTH = 10_000;

/**
 * Shortens long results that models see. The journal, sinks and direct answers to the user still have the
 * full text.
 *
 * @throws RangeError if `maxLength` is not a whole number of at least 0.
 *
 * @example
 * ```ts
 * const use = [truncateToolResults({ maxLength: 4_000, marker: fullLength })];
 * ```
 */
export function truncateToolResults({
  maxLength = MAX_LENGTH,
  marker = charsShown,
}: TruncationOptions = {}): ModuleUse {
  if (!Number.isInteger(maxLength) || maxLength < 0) {
    throw new RangeError(`truncateToolResults: maxLength is ${maxLength}. Use a whole number of at least 0.`);
  }
  return defineTransformer({
    name: `truncateToolResults(${maxLength})`,
    shortens: true,
    result: (text) => {
      if (text.length <= maxLength) return text;
      const kept = truncateText(text, maxLength);
      return kept + (typeof marker === 'string' ? marker : marker(kept.length, text.length));
    },
  });
}

/** Returns the marker at the end of a shortened result, which shows `shown` of `length` characters. */
export type TruncationMarker = (shown: number, length: number) => string;

/** Marks a shortened result with ` ... [truncated, 10000 chars shown]`. */
export const charsShown: TruncationMarker = (shown) => `\n... [truncated, ${shown} chars shown]`;

/** Marks a shortened result with `... [truncated, full length: 20000 chars]`. */
export const fullLength: TruncationMarker = (_, length) => `... [truncated, full length: ${length} chars]`;

/** Options of `truncateToolResults`. */
export interface TruncationOptions {
  /** The number of characters of a result to show. Defaults to 10,000. With 0, only the marker remains. */
  readonly maxLength?: number | undefined;
  /** Defaults to `charsShown`. */
  readonly marker?: string | TruncationMarker | undefined;
}
