import { type HistoryScope, LOOPS } from '../../loop/loop-seams.ts';
import type { HistoryCall, HistoryMessage, TurnPrincipal } from '../../tool/call.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { mistake } from '../../tool/log.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { modelText, type ResultData, withWords } from '../../tool/tool-result.ts';

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
