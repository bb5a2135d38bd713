import type { HistoryCall, HistoryMessage } from '../tool/call.ts';

/**
 * Changes what a model is shown of the conversation; the journal keeps what was said. Its functions are pure: they are
 * asked anew for every model call and for `call.history()`, in every invocation. Transformers are applied in order, each
 * to what the one before it made; a value for which one throws stays as it was, and that is logged (CBK-02, CBK-03).
 * Nested loops have the transformers of the loop around them.
 */
export interface LoopTransformer {
  /** For whoever reads the log. */
  readonly name: string;
  /** The whole conversation. A reply holds its calls and their results, so that none is shown without the other. */
  readonly messages?: ((messages: readonly HistoryMessage[]) => readonly HistoryMessage[]) | undefined;
  /** The words of one result; of an error its message, without the `Error: ` that the model reads before it. */
  readonly result?: ((text: string, call: HistoryCall) => string) | undefined;
  /** `result` shortens, so it is not applied to what a tool returns directly to the user (LOOP-10). */
  readonly shortens?: boolean | undefined;
  /** The words of one reply, also of the one that is the answer. */
  readonly reply?: ((text: string) => string) | undefined;
}
